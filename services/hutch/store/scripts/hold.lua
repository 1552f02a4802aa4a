#!lua
-- Say how much of something one holder holds, for a while; or take more of it, within a limit.
--
-- KEYS  1 ... of each thing its holders, a hash: '<how many> <until when, in ms>' by holder
-- ARGV  1 holder   2 lease in ms   3 the most that all holders together may hold ('' any number)
--       4 ... how many of each thing this holder holds from now on
-- Returns of each thing 1, or 0 where the limit stands against it and nothing has changed
--
-- A lease that has run out counts no more. The last one to do so takes the hash along.

local holder, lease, most = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local function others_hold(key)
  local held, holders = 0, redis.call('HGETALL', key)
  for at = 1, #holders, 2 do
    local number, till = string.match(holders[at + 1], '^(%d+) (%d+)$')
    if tonumber(till) <= now then
      redis.call('HDEL', key, holders[at])
    elseif holders[at] ~= holder then
      held = held + number
      if tonumber(till) > now + lease then -- this clock was set back since
        redis.call('HSET', key, holders[at], string.format('%d %.0f', number, now + lease))
      end
    end
  end
  return held
end

local answers = {}
for at, key in ipairs(KEYS) do
  local number = tonumber(ARGV[3 + at])
  if most and others_hold(key) + number > most then
    answers[at] = 0
  else
    if number == 0 then
      redis.call('HDEL', key, holder)
    else
      redis.call('HSET', key, holder, string.format('%d %.0f', number, now + lease))
      redis.call('PEXPIRE', key, lease)
    end
    answers[at] = 1
  end
end
return answers
