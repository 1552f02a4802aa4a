#!lua
-- Count an attempt to answer for the bots of a table, as long as they are awaited. Its hint does not
-- come again before the attempt has had its time.
--
-- KEYS  1 hints  zset   2 claims  hash
-- ARGV  1 table id   2 retry in ms
-- Returns how many attempts that makes; 0 if no bot is awaited any more

if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then
  return 0
end
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
redis.call('ZADD', KEYS[1], 'XX', 'GT', now + ARGV[2], ARGV[1])
redis.call('HSET', KEYS[2], 'r:' .. ARGV[1], ARGV[2])
return redis.call('HINCRBY', KEYS[2], 'a:' .. ARGV[1], 1)
