import { hideUrls } from '../show-url.ts';

/** The pages that tell what to do, as paths in the repository. */
export const runbooks = {
  readiness: 'docs/operate/runbooks/processes.md#latchkeyserviceunreachable',
  missing: 'docs/operate/runbooks/processes.md#latchkeyprocessdown',
  feed: 'docs/operate/runbooks/revocations.md#latchkeyfeedold',
  revocation: 'docs/operate/runbooks/revocations.md#latchkeyrevocationslate',
  'key-errors': 'docs/operate/runbooks/keys.md#latchkeykeysfail',
  'key-refusals': 'docs/operate/runbooks/keys.md#latchkeykeysrefused',
  'key-latency': 'docs/operate/runbooks/keys.md#latchkeykeysslow',
  database: 'docs/operate/runbooks/stores.md#latchkeydatabasedown',
  'database-writes': 'docs/operate/runbooks/stores.md#latchkeydatabasereadonly',
  cache: 'docs/operate/runbooks/stores.md#latchkeyredisdown',
  bus: 'docs/operate/runbooks/stores.md#latchkeynatsdown',
  clock: 'docs/operate/operations.md#clocks',
} as const;

/** The result of one examination. */
export interface Finding {
  /**
   * Only `wrong` fails the command: the server would not start, or viewers notice it, or will soon. A `notice` is right for some
   * installations.
   */
  state: 'ok' | 'notice' | 'warning' | 'wrong';
  /** A variable or a dependency. */
  about: string;
  /** Completes a sentence that begins with `about`, without a full stop. Never a secret. */
  says: string;
  /** An instruction that resolves the finding. */
  mend: string | undefined;
  /** The page that tells more. */
  runbook: string | undefined;
}

interface Advice {
  mend?: string;
  topic?: keyof typeof runbooks;
}

const findingOf =
  (state: Finding['state']) =>
  (about: string, says: string, { mend, topic }: Advice = {}): Finding => {
    const runbook = topic && runbooks[topic];
    return { state, about, says, mend, runbook };
  };
export const ok = findingOf('ok');
export const notice = findingOf('notice');
export const warning = findingOf('warning');
export const wrong = findingOf('wrong');

export function countFindings(findings: readonly Finding[], state: Finding['state']): number {
  return findings.filter((finding) => finding.state === state).length;
}

/** Findings for a terminal: one each line, and below it what to do. */
export function describeFindings(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ state, about, says, mend, runbook }) => [
    `${(state === 'wrong' ? 'WRONG' : state).padEnd(7)}  ${about}: ${says}`,
    ...[mend, runbook].filter((text) => text !== undefined).map((text) => `         → ${text}`),
  ]);
  const counts = `${countFindings(findings, 'wrong')} wrong, ${countFindings(findings, 'warning')} to look at`;
  return hideUrls([...lines, '', counts, ''].join('\n'));
}
