#!lua
-- Commit one action of a table, all or nothing.
--
-- KEYS  1 table   hash     2 log    stream   3 inputs  list
--       4 due     zset     5 hints  zset     6 claims  hash
--       7 outbox  stream   8 index  zset     9 counts  hash
-- ARGV  1 namespace             2 table id           3 shard
--       4 expected revision (0: no such table yet)
--       5 token of this commit, so that sending it again is harmless
--       6 token of the commit that it builds on ('' any)
--       7 request id ('' none)  8 digest of the request
--       9 due in ms ('' none)  10 hint after so many ms ('' none)
--      11 time to live in ms, once finished ('' not finished)
--      12 time to live in ms, should it never be listed elsewhere ('' as it is)
--      13 listing: '<state> <ruleset>' ('' as it is)
--      14 not before that moment in ms ('' at once)
--      15 0: it is known that neither timer nor hint is set (6 must be given then)
--      16, 17, 18 how many arguments are fields of the table, fields of the log, inputs
--      19 ... those fields and inputs, and then the notes
-- Returns {0, revision, commit ms} committed
--         {1, revision}                   conflict: that is the table's revision
--         {2, revision, digest}           repeated: what the request did when it came first
--         {3, µs}                         too early by so much
--
-- The first write is the XADD, the only one that could fail: all that can go wrong goes wrong
-- before anything has changed. What tells nobody anything has no entry in the log.

local table_key, table_id = KEYS[1], ARGV[2]
local expected, token, onto = tonumber(ARGV[4]), ARGV[5], ARGV[6]
local request = ARGV[7] ~= '' and 'q:' .. ARGV[7] or ''

local stored = redis.call('HMGET', table_key,
    'revision', 'token', 'at', 'listing', 'expires', request)
local revision = tonumber(stored[1] or 0)

if revision == expected + 1 and stored[2] == token then
  return {0, revision, tonumber(stored[3])}
end
if request ~= '' and stored[6] then
  local space = string.find(stored[6], ' ', 1, true)
  return {2, tonumber(string.sub(stored[6], 1, space - 1)), string.sub(stored[6], space + 1)}
end
-- The revision alone would do for a table whose past never changes. A store that has gone back in
-- time makes the same revisions once more.
if revision ~= expected or (onto ~= '' and onto ~= stored[2]) then
  return {1, revision}
end

local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
if ARGV[14] ~= '' and now < tonumber(ARGV[14]) then
  return {3, ARGV[14] * 1000 - clock[1] * 1000000 - clock[2]}
end
revision = revision + 1

local fields, faces, inputs = tonumber(ARGV[16]), tonumber(ARGV[17]), tonumber(ARGV[18])
local first = 19
if faces > 0 then
  redis.call('XADD', KEYS[2], revision .. '-1', 'ms', now,
      unpack(ARGV, first + fields, first + fields + faces - 1))
end

if request ~= '' then
  redis.call('HSET', table_key, 'revision', revision, 'token', token, 'at', now,
      request, revision .. ' ' .. ARGV[8], unpack(ARGV, first, first + fields - 1))
else
  redis.call('HSET', table_key, 'revision', revision, 'token', token, 'at', now,
      unpack(ARGV, first, first + fields - 1))
end
first = first + fields + faces

for at = first, first + inputs - 1 do
  redis.call('RPUSH', KEYS[3], now .. ' ' .. ARGV[at])
end
first = first + inputs

-- The timer and the hint are whatever this commit says, claimed or not; once a table is finished
-- there are none.
local finished = ARGV[11] ~= '' or stored[5]
local armed = ARGV[15] ~= '0' or onto == ''
if armed then
  redis.call('HDEL', KEYS[6],
      'd:' .. table_id, 'h:' .. table_id, 'a:' .. table_id, 'r:' .. table_id)
end
if ARGV[9] ~= '' and not finished then
  -- Timekeepers know a moment at or before the shard's earliest timer: only an earlier one is news.
  local earliest = redis.call('ZRANGE', KEYS[4], 0, 0, 'WITHSCORES')[2]
  redis.call('ZADD', KEYS[4], ARGV[9], table_id)
  if not earliest or tonumber(ARGV[9]) < tonumber(earliest) then
    redis.call('PUBLISH', ARGV[1] .. ':timers', ARGV[3] .. ' ' .. ARGV[9])
  end
elseif armed then
  redis.call('ZREM', KEYS[4], table_id)
end
if ARGV[10] ~= '' and not finished then
  redis.call('ZADD', KEYS[5], now + ARGV[10], table_id)
  if ARGV[10] == '0' then
    redis.call('PUBLISH', ARGV[1] .. ':hints', ARGV[3] .. ' ' .. now)
  else -- whoever means to play on makes an attempt
    redis.call('HSET', KEYS[6], 'a:' .. table_id, 1, 'r:' .. table_id, ARGV[10])
  end
elseif armed then
  redis.call('ZREM', KEYS[5], table_id)
end

if #ARGV >= first then
  for at = first, #ARGV do
    redis.call('XADD', KEYS[7], '*', 'table', table_id, 'note', ARGV[at])
  end
  redis.call('PUBLISH', ARGV[1] .. ':outbox', ARGV[3] .. ' ' .. now)
end

if ARGV[13] ~= '' then
  local was, prefix = stored[4], ARGV[13] .. ' '
  if not was or string.sub(was, 1, #prefix) ~= prefix then
    if was then
      local gone = redis.call('ZREM', KEYS[8], was)
      redis.call('HINCRBY', KEYS[9], string.match(was, '^%S+ %S+'), -gone)
    end
    local member = string.format('%s%013.0f %s', prefix, now, table_id)
    local change = redis.call('ZADD', KEYS[8], 0, member)
    redis.call('HSET', table_key, 'listing', member)
    local lives = ARGV[11] ~= '' and ARGV[11] or ARGV[12]
    if lives ~= '' then -- entries of tables that have expired by now
      local gone = string.format('%s%013.0f', prefix, now - lives)
      change = change - redis.call('ZREMRANGEBYLEX', KEYS[8], '[' .. prefix, '(' .. gone)
    end
    redis.call('HINCRBY', KEYS[9], ARGV[13], change)
    for at = 1, 3 do
      if ARGV[12] ~= '' then
        redis.call('PEXPIRE', KEYS[at], ARGV[12])
      else
        redis.call('PERSIST', KEYS[at])
      end
    end
  end
end

local expires = stored[5]
if ARGV[11] ~= '' then
  expires = string.format('%.0f', now + ARGV[11])
  redis.call('HSET', table_key, 'expires', expires)
end
if expires then
  for at = 1, 3 do
    redis.call('PEXPIREAT', KEYS[at], expires)
  end
end

redis.call('PUBLISH', ARGV[1] .. ':bell:' .. table_id, revision)
return {0, revision, now}
