import { parseArgs } from 'node:util';
import { startDistributedSubjects } from './distributed.ts';
import { type Measurement, measure } from './measure.ts';
import { report } from './report.ts';
import { startSubjects } from './subjects.ts';

const usage = `Key requests per second, beside bare node:http and bare Fastify, in one run.

  npm run bench                      3 rounds of 5 s for each server
  npm run bench -- --seconds 2 --rounds 5 --connections 64
  npm run bench -- --distributed     the gateway before its services, beside a bare forwarder before a bare server;
                                     this one needs Postgres installed
`;

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64' },
    distributed: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});

async function main(): Promise<void> {
  if (flags.help) return void console.log(usage);
  const { seconds, rounds, connections } = flags;
  const subjects = flags.distributed ? await startDistributedSubjects() : await startSubjects();
  const results: Measurement[] = [];
  try {
    for (const subject of subjects) await measure(subject, { seconds: 1, connections: Number(connections) });
    // In turn and not one after the other: a machine that slows down slows all of them.
    for (let round = 1; round <= Number(rounds); round++) {
      for (const subject of subjects) {
        console.error(`round ${round} of ${rounds}: ${subject.name}`);
        results.push(await measure(subject, { seconds: Number(seconds), connections: Number(connections) }));
      }
    }
  } finally {
    await Promise.all(subjects.map((subject) => subject.stop()));
  }
  console.log(report(results));
}

await main();
