import { type KeyPeriods, maxEpoch } from '@latchkey/shared/contracts';
import { instantOf, readInstant } from '@latchkey/shared/http';
import { Type } from '@latchkey/shared/schema';

/** `docs/reference/contract.md#key-periods`. */
const dayOfSeconds = 86_400;
const mostAhead = 10;
const mostBurst = 1_000;
const mostSpeed = 100;
const defaultAhead = 1;
const defaultSpeed = 2;
/** The keys that a player may fetch at once by default: the keys of two minutes, and at least a few short periods. */
const defaultBurst = { seconds: 120, least: 8 };

interface ClockMembers {
  mode: 'clock';
  origin: string;
  periodSeconds: number;
  ahead?: number;
  behind?: number | null;
}

interface SequenceMembers {
  mode: 'sequence';
  count: number;
  periodSeconds: number;
  burst?: number;
  speed?: number;
  pace?: boolean;
}

/** Key periods as the API takes and shows them. */
export type KeyPeriodsMembers = ClockMembers | SequenceMembers;

const clock = Type.Object(
  {
    mode: Type.Literal('clock'),
    origin: Type.String({ format: 'date-time', description: 'When epoch 0 begins.' }),
    periodSeconds: Type.Integer({ minimum: 1, maximum: dayOfSeconds }),
    ahead: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: mostAhead,
        description: `How many epochs after the current one are served. ${defaultAhead} if it is left out.`,
      }),
    ),
    behind: Type.Optional(
      Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        minimum: 0,
        maximum: maxEpoch,
        description: 'How many epochs before the current one are served. Null, or left out: all.',
      }),
    ),
  },
  { title: 'ClockPeriods', additionalProperties: false },
);

const sequence = Type.Object(
  {
    mode: Type.Literal('sequence'),
    count: Type.Integer({ minimum: 1, maximum: maxEpoch + 1, description: 'The epochs are 0 to count - 1.' }),
    periodSeconds: Type.Number({ exclusiveMinimum: 0, description: 'The longest period.' }),
    burst: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: mostBurst,
        description:
          'How many keys a viewer may fetch at once. Optional. Default: the keys of two minutes, and at least 8.',
      }),
    ),
    speed: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: mostSpeed,
        description: `How many keys come back in each period. ${defaultSpeed} if it is left out.`,
      }),
    ),
    pace: Type.Optional(
      Type.Boolean({ description: 'False: no bound on how fast keys are fetched. True if it is left out.' }),
    ),
  },
  { title: 'SequencePeriods', additionalProperties: false },
);

const description =
  'When the keys of its epochs are served: by the clock (live), or in sequence (on demand). Null: at any time.';

/** Ajv reads the discriminator, and then names the faults of that form alone. */
export const KeyPeriodsSchema = Type.Unsafe<KeyPeriodsMembers | null>({
  type: ['object', 'null'],
  required: ['mode'],
  properties: { mode: { enum: ['clock', 'sequence'] } },
  discriminator: { propertyName: 'mode' },
  oneOf: [clock, sequence],
  description,
});

/** The same for answers: Fastify's serializer reads no discriminator. */
export const ShownKeyPeriodsSchema = Type.Unsafe<KeyPeriodsMembers | null>({
  anyOf: [Type.Null(), clock, sequence],
  description,
});

/**
 * @param members as the schema accepts them
 * @returns with every default
 * @throws AppError VALIDATION_FAILED if the origin is no time
 */
export function readKeyPeriods(members: KeyPeriodsMembers | null): KeyPeriods | null {
  if (members === null) return null;
  if (members.mode === 'clock') {
    const { origin, periodSeconds, ahead = defaultAhead, behind = null } = members;
    return { mode: 'clock', origin: readInstant(origin, '/keyPeriods/origin'), periodSeconds, ahead, behind };
  }
  const { count, periodSeconds, speed = defaultSpeed, pace = true } = members;
  const burst = members.burst ?? burstOf(periodSeconds);
  return { mode: 'sequence', count, periodSeconds, burst, speed, pace };
}

function burstOf(periodSeconds: number): number {
  const needed = Math.ceil(defaultBurst.seconds / periodSeconds);
  return Math.min(mostBurst, Math.max(defaultBurst.least, needed));
}

/** Key periods as the API shows them. */
export function toKeyPeriodsMembers(periods: KeyPeriods | null): KeyPeriodsMembers | null {
  return periods?.mode === 'clock' ? { ...periods, origin: instantOf(periods.origin) } : periods;
}
