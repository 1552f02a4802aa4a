#!lua
-- Set the epoch of a table that exists.
--
-- KEYS  1 table  hash
-- ARGV  1 epoch
-- Returns 1 if the table exists, else 0

if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
redis.call('HSET', KEYS[1], 'epoch', ARGV[1])
return 1
