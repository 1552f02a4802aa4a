#!lua
-- Take from a budget as many as are wanted, or a part of what is free now if that is more.
--
-- KEYS  1 budget  string: when all of it is free again, in us since 1970; gone when it is
-- ARGV  1 interval in us: in each, one more is free   2 burst: the most that is ever free
--       3 how many are wanted           4 what part may be taken: one in so many
-- Returns {how many were taken, us until one more is free (0: there is)}

local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local interval, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local known = tonumber(redis.call('GET', KEYS[1]) or 0)
-- Later than that it can be only where this clock was set back since.
local whole = math.max(now, math.min(known, now + burst * interval))

local free = math.max(0, math.floor(burst - (whole - now) / interval))
local taken = math.min(free, math.max(tonumber(ARGV[3]), math.floor(free / ARGV[4])))
if taken > 0 then
  whole = whole + taken * interval
end
if whole > now and whole ~= known then
  redis.call('SET', KEYS[1], string.format('%.0f', whole), 'PXAT', math.ceil(whole / 1000))
end
return {taken, math.max(0, whole - (burst - 1) * interval - now)}
