#!lua
-- Forget the timer and the hint of a table that is no more.
--
-- KEYS  1 table  hash   2 due  zset   3 hints  zset   4 claims  hash
-- ARGV  1 table id
-- Returns 1 if there was anything to forget, else 0

if redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
redis.call('HDEL', KEYS[4],
    'd:' .. ARGV[1], 'h:' .. ARGV[1], 'a:' .. ARGV[1], 'r:' .. ARGV[1])
local gone = redis.call('ZREM', KEYS[2], ARGV[1]) + redis.call('ZREM', KEYS[3], ARGV[1])
return gone > 0 and 1 or 0
