#!lua
-- Read pieces of a shard's index, each from its end back.
--
-- KEYS  1 index  zset
-- ARGV  1 at most so many members of each   2, 3, ... the end and the beginning of each piece
-- Returns the members of each piece

local pieces = {}
for at = 2, #ARGV, 2 do
  pieces[#pieces + 1] = redis.call('ZRANGE', KEYS[1], ARGV[at], ARGV[at + 1],
      'BYLEX', 'REV', 'LIMIT', 0, ARGV[1])
end
return pieces
