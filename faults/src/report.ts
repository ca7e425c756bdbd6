/** What the parts of a run have found. */
export interface Findings {
  /** The part's name and its table in Markdown. */
  tables: Map<string, string>;
  plotFile: string;
  cores: number;
  command: string;
}

/** The sections, in their order in the document. */
const sections = [
  {
    part: 'revocation',
    title: 'How soon a revocation holds',
    introduction: `Three key-derivation replicas are asked directly and without a pause, each by a viewer that it knows, beside a steady load
of key requests. The time runs from the answer of the revocation, as the client has it, to the first refusal, as the client
has it; so it includes a round trip and the reading of the new state. The latest key is the last one that came after the
answer. Half of the viewers name a lease, half have a token alone. Under the conditions with something broken, all
revocations of a kind come at once.`,
  },
  {
    part: 'faults',
    title: 'When something breaks',
    introduction: `For each: 150 key requests a second from viewers who keep their rights, through the gateway, and eight changes a second
(leases made; leases, contents and API keys taken away). From some viewers their rights are taken right before it breaks,
from others while it is broken; every replica is asked for them twice a second, and again at the end, by when it has to refuse.
Whatever was acknowledged has to be in the database with its audit row, and the change feed has to be without a gap.

It stays broken for 8 s: longer than the 5 s after which a state that nobody could confirm is unknown, and a key request is
answered 503. \`slow\` means that each question takes a second more. \`paused\` means SIGSTOP: connections stay, nobody answers.
The last column counts from the beginning of the mending, so it includes the start of the process.`,
  },
  {
    part: 'rolling',
    title: 'Restarting without a failed request',
    introduction: `Two processes of each service and two gateways behind a load balancer that asks \`/ready\`; SIGTERM, with
\`SHUTDOWN_DRAIN_SECONDS=3\`, then a new process on the same port. 200 requests a second: keys, new leases, renewals.`,
  },
  {
    part: 'kills',
    title: 'kill -9',
    introduction: `SIGKILL at a random moment while twelve writers make changes; then everything acknowledged is looked for, and everything
stored has to have its audit row and its place in the change feed.`,
  },
];

/** The findings as a document. */
export function writeReport({ tables, plotFile, cores, command }: Findings): string {
  const written = sections.flatMap(({ part, title, introduction }) => {
    const table = tables.get(part);
    if (table === undefined) return [];
    const plot =
      part === 'revocation' ? `\n\n![The share of replicas that had refused, by time](${plotFile})` : '';
    return [`## ${title}\n\n${introduction}\n\n${table}${plot}\n`];
  });
  return `# What breaks, and what clients see

Measured by \`${command}\` on one machine with ${cores} cores, which ran all of it:
gateway, services, Postgres, Redis, NATS and the clients, as processes on the loopback interface. The command writes this
file.

${written.join('\n')}`;
}
