import { type Authority, type KnownStates, settleDecision } from '@latchkey/shared/authority';
import type { Clock } from '@latchkey/shared/clock';
import type { TokenContents } from '@latchkey/shared/contracts';
import { AppError, type ErrorCode } from '@latchkey/shared/errors';
import { type Decision, decideKeyRequest, type KeyRules } from './decide-key-request.ts';
import {
  codesOfSteps,
  type ExplainedStep,
  type Explanation,
  type Fact,
  type StepName,
  stepNames,
} from './decision-steps.ts';
import { describeStep, type SeenStates, type StepContext } from './describe-step.ts';
import type { KeyRequest } from './key-request.ts';
import type { MasterKeyRing } from './master-key-ring.ts';
import { type KeyPace, oneKey, rateOf } from './pace/key-pace.ts';
import { pacedKeyOf } from './pace/take-paced.ts';

interface ExplainerOptions {
  authority: Authority;
  rules: KeyRules;
  masterKeys: Pick<MasterKeyRing, 'holds'>;
  pace: Pick<KeyPace, 'look'>;
  clock: Clock;
}

type Ended = { step: StepName; code: ErrorCode; answer: 'refused' | 'unknown' };

/** Where the decision needs a state that cannot be read, the step that needs it. */
const stepOfState: Record<keyof Authority, StepName> = {
  apiKeys: 'credential',
  contents: 'content',
  leases: 'lease',
  marks: 'marks',
  importedKeys: 'key',
};

/**
 * Why a viewer or the holder of a session gets a key now, or does not. It asks the function that decides key requests, so it cannot say
 * otherwise than they do. It changes nothing: it counts neither a use of the session nor a key of the pace.
 *
 * @returns a function. Its second argument is the contents that exist for the caller; null for all: it sees no lease of others
 */
export function createKeyRequestExplainer(
  options: ExplainerOptions,
): (request: KeyRequest, visible: TokenContents | null) => Promise<Explanation> {
  const { authority, rules, clock } = options;
  return async (request, visible) => {
    const seen: SeenStates = {};
    const states = recordStates(authority, seen, visible);
    const loads = authority.leases.loadsBegun;
    let needed: keyof Authority | null = null;
    const decide = () => {
      const decision = decideKeyRequest(request, states, rules, clock.now(), loads);
      needed = decision.kind === 'read' ? decision.unknown.cache : null;
      return decision;
    };
    let ended: Ended | null;
    let bucket: StepContext['bucket'] = null;
    try {
      const decision = await settleDecision(decide(), decide, options);
      ended = findEnd(decision, options);
      const key = ended ? null : pacedKeyOf(request, decision);
      if (key) {
        const { level, wasGiven } = await options.pace.look(key);
        bucket = { keysLeft: Math.floor(level), perSecond: rateOf(key.periods) * 1_000 };
        if (!wasGiven && level < oneKey)
          ended = { step: 'pace', code: 'KEY_PACE_EXCEEDED', answer: 'refused' };
      }
    } catch (error) {
      if (!(error instanceof AppError) || needed === null) throw error;
      ended = { step: stepOfState[needed], code: error.code, answer: 'unknown' };
    }
    return explain({ request, rules, seen, bucket, now: clock.now() }, ended);
  };
}

/**
 * The credential alone: it is not accepted, or no content is named.
 *
 * @param code of the refusal; null if it is accepted
 */
export function explainCredential(code: ErrorCode | null, facts: Record<string, Fact>): Explanation {
  const answer = code === null ? 'passed' : 'refused';
  const steps = stepNames.map(
    (step): ExplainedStep =>
      step === 'credential'
        ? { step, answer, code, facts }
        : { step, answer: 'not-reached', code: null, facts: {} },
  );
  return { outcome: code === null ? 'unknown' : 'refused', code, steps };
}

/** The states as they are known, each noted as it is seen. */
function recordStates(authority: Authority, seen: SeenStates, visible: TokenContents | null): KnownStates {
  const of = <Name extends keyof Authority>(name: Name) => ({
    peek(key: string) {
      const known = authority[name].glance(key);
      if (known) seen[name] = known.value as never;
      return known as ReturnType<Authority[Name]['peek']>;
    },
  });
  const leases = of('leases');
  return {
    apiKeys: of('apiKeys'),
    contents: of('contents'),
    importedKeys: of('importedKeys'),
    leases: {
      peek(key) {
        const known = leases.peek(key);
        if (!known?.value || !visible || visible.has(known.value.contentId)) return known;
        seen.leases = null;
        return { ...known, value: null };
      },
    },
    marks: of('marks'),
  };
}

/** @returns the step that refuses; null if none does but perhaps the pace */
function findEnd(
  decision: Exclude<Decision, { kind: 'read' }>,
  { masterKeys }: ExplainerOptions,
): Ended | null {
  if (decision.kind === 'refuse') {
    const { code } = decision;
    const step = stepNames.find((name) => (codesOfSteps[name] as readonly ErrorCode[]).includes(code));
    if (!step) throw new Error(`no step refuses with ${code}`);
    return { step, code, answer: 'refused' };
  }
  if (!masterKeys.holds(decision.keyVersion))
    return { step: 'key', code: 'DEPENDENCY_UNAVAILABLE', answer: 'refused' };
  return null;
}

function explain(context: StepContext, ended: Ended | null): Explanation {
  const end = ended ? stepNames.indexOf(ended.step) : stepNames.length;
  const steps = stepNames.map((step, place): ExplainedStep => {
    if (place > end) return { step, answer: 'not-reached', code: null, facts: {} };
    const { holds, facts } = describeStep[step](context);
    if (place === end && ended) return { step, answer: ended.answer, code: ended.code, facts };
    return { step, answer: holds ? 'passed' : 'skipped', code: null, facts };
  });
  return { outcome: ended ? ended.answer : 'served', code: ended?.code ?? null, steps };
}
