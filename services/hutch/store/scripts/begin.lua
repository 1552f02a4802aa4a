#!lua
-- Count an attempt to answer for the bots of a table, as long as they are awaited.
--
-- KEYS  1 hints  zset   2 claims  hash
-- ARGV  1 table id
-- Returns how many attempts that makes; 0 if no bot is awaited any more

if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then
  return 0
end
return redis.call('HINCRBY', KEYS[2], 'a:' .. ARGV[1], 1)
