#!lua
-- Add a finished table to the tally of its shard, once.
--
-- KEYS  1 table  hash   2 tally  hash
-- ARGV  of each measure: name, value, value squared
-- Returns 1 if it was added, 0 if it had been, or if there is no such table any more

if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HSETNX', KEYS[1], 'tallied', 1) == 0 then
  return 0
end
for at = 1, #ARGV, 3 do
  local name, value = ARGV[at], ARGV[at + 1]
  redis.call('HINCRBY', KEYS[2], name .. ':count', 1)
  redis.call('HINCRBYFLOAT', KEYS[2], name .. ':sum', value)
  redis.call('HINCRBYFLOAT', KEYS[2], name .. ':squares', ARGV[at + 2])
  local least = redis.call('HGET', KEYS[2], name .. ':least')
  if not least or tonumber(value) < tonumber(least) then
    redis.call('HSET', KEYS[2], name .. ':least', value)
  end
  local most = redis.call('HGET', KEYS[2], name .. ':most')
  if not most or tonumber(value) > tonumber(most) then
    redis.call('HSET', KEYS[2], name .. ':most', value)
  end
end
return 1
