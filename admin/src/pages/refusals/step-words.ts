import type { Answer } from '../../api/api.ts';
import type { IconName } from '../../components/icon.tsx';

export type KeyDecision = Answer<'post', '/api/v1/key-decisions'>;
export type DecisionStep = KeyDecision['steps'][number];

/** A state that a step went by; null if it is not a text, or not there. */
export function factOf({ steps }: KeyDecision, step: DecisionStep['step'], fact: string): string | null {
  const value = steps.find((each) => each.step === step)?.facts[fact];
  return typeof value === 'string' ? value : null;
}

/** The steps of a key request in their order (`docs/reference/contract.md#order-of-decisions`), and the question that each decides. */
const stepWords: Record<string, { name: string; asks: string }> = {
  credential: { name: 'Credential', asks: 'Is the token or the session accepted?' },
  entitlement: { name: 'Content claim', asks: 'Does the token name this content?' },
  content: { name: 'Content', asks: 'Is it registered and active?' },
  lease: { name: 'Lease', asks: 'Is the named lease this viewer’s, active and not revoked?' },
  marks: {
    name: 'Block and marks',
    asks: 'Is the viewer not blocked, and the token from after every revocation?',
  },
  'lease-mode': { name: 'Lease mode', asks: 'May a key be requested without a lease?' },
  'key-periods': { name: 'Key periods', asks: 'Is the key of this epoch served now?' },
  key: { name: 'Master key', asks: 'Does the server have the version of this content?' },
  pace: { name: 'Pace', asks: 'Does the viewer ask no faster than it can play?' },
};

export function wordsOf(step: string) {
  return stepWords[step] ?? { name: step, asks: '' };
}

export const answers: Record<DecisionStep['answer'], { name: string; icon: IconName }> = {
  passed: { name: 'Passed', icon: 'check' },
  refused: { name: 'Refused', icon: 'stop' },
  unknown: { name: 'Unknown', icon: 'warning' },
  skipped: { name: 'Not checked', icon: 'right' },
  'not-reached': { name: 'Not reached', icon: 'right' },
};

const names: Record<string, string> = {
  viewerId: 'Viewer',
  contentId: 'Content',
  leaseId: 'Lease',
  keyVersion: 'Key version',
  isRegistered: 'Registered',
  isImported: 'Imported key',
  isKnown: 'Known',
  isBlocked: 'Viewer blocked',
  contentMode: 'CONTENT_MODE',
  leaseMode: 'LEASE_MODE',
  issuedNotBeforeAt: 'Issued, at the earliest',
  namesContent: 'Names the content',
  contentOfSession: 'Content of the session',
  detail: 'Reason',
};

/** The name of a fact: `currentEpoch` is "Current epoch", and the `At` of a time is left out. */
export function nameOfFact(fact: string): string {
  const known = names[fact];
  if (known !== undefined) return known;
  const words = fact.replace(/At$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
