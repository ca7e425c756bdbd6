/** What `--help` prints. */
export const usage = `CPU time, rate and latency of key requests, beside bare servers and other ways to build a key server, in one run. The measured server has
a core to itself, and the load has the others (taskset, util-linux). The servers take turns.

  npm run bench                      5 rounds of 3 s for each server
  npm run bench -- --seconds 2 --rounds 7 --connections 64 --only Latchkey (beside bare Fastify)
  npm run bench -- --distributed     the gateway before its services, beside a bare forwarder before a bare server;
                                     this one needs Postgres installed
  npm run bench -- --traces          Latchkey without traces, with 1 % of the requests traced, and with all
  npm run bench -- --custody         Latchkey with the master key in its environment, and at a provider that holds it

Servers at 1/2, 1, 1.5 and 3 times what they can serve, with OVERLOAD_DELAY_MS at off and at 10: who is served and who is refused, how
fast, and how soon it is back. Takes under 4 minutes (Linux; Postgres installed).

  npm run bench -- --overload        --seconds 1 (that count of each rate) --connections 64 (of the closed loop that finds what it can serve) --only new

CPU time per key request at a fixed rate, as gateways and replicas of key-derivation are added (Linux).

  npm run bench -- --scale           --shapes 1x1,1x2,1x4 (gateways x replicas) --rounds 4 --seconds 8 --rate 2000
                                     --warm 20000 (requests that each process gets first) --connections 64
  npm run bench -- --scale --each    --rate is for each replica, instead of for all together
  npm run bench -- --scale --awake   keeps cores from sleeping: waking one counts as CPU time of the woken process

One process of the single node, and one with a worker for each core that shares the cores with its load; leases revoked under load (Linux).

  npm run bench -- --workers         --rounds 5 --seconds 3 --revocations 200

Many viewers at once, each with its own connection, token and lease, beside a million leases (Linux).

  npm run bench -- --viewers 10000   --leases 1000000 --profile single,distributed --rate 2000 --seconds 15 --rounds 2
                                     --beside 1000 (viewers to compare with) --replicas 3 --boots 3

An event: viewers join a server that has just started within 10 s, each with a lease and a key; then all of them cross key periods (Linux).

  npm run bench -- --event-start     --viewers 10000 --seconds 10 --profile single,distributed
  npm run bench -- --crossing        the same

Players that reload the playlists of one live channel by session URLs: how fast they get them, and how often the source is called (Linux).

  npm run bench -- --sessions        --viewers 5000 --beside 50 (sessions to compare with) --seconds 12 --profile single,distributed

How soon the dashboard reacts to a keystroke or a click in Chromium, beside 100,000 API keys, 100,000 contents and a million
leases, in SQLite and in Postgres (installed). Ends with 1 if anything takes more than 300 ms.

  npm run bench -- --dashboard       --rounds 5 --only Leases (a part of the name of what is measured) --database SQLite,Postgres

What others see while a content with a million leases is revoked, in one process on SQLite and on Postgres (installed).

  npm run bench -- --revocation      --leases 1000000 --seconds 15 --database SQLite,Postgres
                                     --watch 900 (seconds to wait for the last row at most)

Creations, renewals and releases of leases on SQLite, and creations by a separate lease service on Postgres, which waits for the disk,
beside pgbench (installed) with the same rows (Linux).

  npm run bench -- --lease-acts      --seconds 5 --rounds 3 --connections 64 --only Postgres

How much each lease, content and API key takes in SQLite and in Postgres (installed).

  npm run bench -- --rows            --leases 1000000

How long the purge of ended leases holds its locks, and what creations of leases take beside it and beside latchkey backup, on SQLite and on
Postgres (installed).

  npm run bench -- --purge           --leases 1000000

How soon webhooks get their messages while keys are fetched and leases are revoked, and what that costs keys and revocations: without
webhooks, with some, and while half of their receivers hang. On SQLite and on Postgres (installed).

  npm run bench -- --webhooks 20     --seconds 70 (of each load; a minute of usage ends in it) --database SQLite,Postgres

CPU time and memory of latchkey encrypt, beside openssl enc (installed) on the same files (Linux).

  npm run bench -- --encrypt         --rounds 3 --mebibytes 512

Memory of one replica of key-derivation while viewers come and go, in a container of 512 MiB (Linux, root for the container).

  npm run bench -- --memory 1000000  --at-once 100000 (viewers who play at a time) --container 512 (MiB; 0: none)

What Redis is worth: first keys from a new replica of key-derivation that reads lease states from Redis, and from one that asks
the lease service (Linux).

  npm run bench -- --cold-replica    --viewers 1000 --rate 100 --rounds 3

How soon and in how much memory \`npm start\` is ready, with and without compiled code from an earlier start (Linux).

  npm run bench -- --start           --rounds 5

--write puts the figures into their documents. Those of the dashboard, of encryption and of an overload are only printed.
--scale, --viewers, --event-start, --crossing, --sessions and --cold-replica take Postgres, Redis and NATS from TEST_POSTGRES_URL, TEST_REDIS_URL and TEST_NATS_URL, from Docker, or from this machine.
`;
