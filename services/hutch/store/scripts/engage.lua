#!lua
-- Note an engagement of somebody, within a limit.
--
-- KEYS  1 engaged  zset: engagements by the time until which each counts, in ms
--       2 looked   string: until when, in ms, nobody else need look which of them are over
-- ARGV  1 the engagement   2 it counts for so many ms   3 at most so many
--       4 one look in so many ms   5 what was noted less than so many ms ago may not be stored yet
-- Returns {0}      it is noted
--         {1, ms}  there are too many: try again after so long
--         {2, ...} there are too many: drop those of these that are over, and try again

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)

if not redis.call('ZSCORE', KEYS[1], ARGV[1])
    and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then
  local wait = (redis.call('GET', KEYS[2]) or now) - now
  if wait > 0 and wait <= tonumber(ARGV[4]) then
    return {1, wait}
  end
  redis.call('SET', KEYS[2], string.format('%.0f', now + ARGV[4]), 'PX', ARGV[4])
  local stored = string.format('%.0f', now + ARGV[2] - ARGV[5])
  local old = redis.call('ZRANGE', KEYS[1], '-inf', stored, 'BYSCORE')
  local newest = string.format('(%.0f', now + ARGV[2])
  for _, one in ipairs(redis.call('ZRANGE', KEYS[1], newest, '+inf', 'BYSCORE')) do
    old[#old + 1] = one -- noted before this clock was set back
  end
  return {2, unpack(old)}
end
redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {0}
