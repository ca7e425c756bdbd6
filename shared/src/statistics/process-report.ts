import { createStrictReader } from '../contracts/index.ts';
import { type Static, Type } from '../schema/type.ts';
import { stepsKept } from './step-ring.ts';

const Count = Type.Integer({ minimum: 0 });
const Instant = Type.Integer({ minimum: 0, description: 'Milliseconds since 1970.' });
const Sparse = Type.Array(Type.Tuple([Type.Integer({ minimum: 0 }), Count]));
const NullableText = Type.Union([Type.String(), Type.Null()]);

const RequestStep = Type.Object({
  at: Instant,
  count: Count,
  clientErrors: Count,
  serverErrors: Count,
  durations: Sparse,
});
const PlayerStep = Type.Object({ at: Instant, reports: Count, stalls: Count, firstFrames: Sparse });

const RefusedRequestSchema = Type.Object({
  /** The time of its answer. */
  at: Instant,
  kind: Type.Union([Type.Literal('key'), Type.Literal('lease')]),
  status: Count,
  code: Type.String(),
  /** Null if the request had no accepted credential, or the credential of a session. */
  viewerId: NullableText,
  /** The `iat` of its token, milliseconds since 1970; null if it has none. Missing if the process did not read a token. */
  issuedAt: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
  /** Contents that its token opens (`keepContents`); null if it opens all. Missing as above. */
  contentIds: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
  /** UUID of the API key that asked; null for another credential. */
  apiKeyId: NullableText,
  /** Null where the path names none: leases name theirs in the body. */
  contentId: NullableText,
  epoch: Type.Union([Count, Type.Null()]),
  leaseId: NullableText,
  clientIp: Type.String(),
  requestId: Type.String(),
});

/** A refused request for a key or a lease. */
export type RefusedRequest = Static<typeof RefusedRequestSchema>;

export const ConfigurationWarningSchema = Type.Object({
  /** Fixed: programs may rely on it. */
  code: Type.String(),
  /** `warning`: open to misuse as it is. `notice`: right for some installations, so check it once. */
  severity: Type.Union([Type.Literal('warning'), Type.Literal('notice')]),
  title: Type.String(),
  detail: Type.String(),
  documentation: Type.String({ description: 'A document of the project, and a heading in it.' }),
});

/** A configuration setting that the operator should check. */
export type ConfigurationWarning = Static<typeof ConfigurationWarningSchema>;

const ShownSettingSchema = Type.Object({
  name: Type.String(),
  about: Type.String(),
  from: Type.Union([Type.Literal('default'), Type.Literal('environment'), Type.Literal('file')]),
  value: Type.Union([Type.String(), Type.Null()], {
    description: 'What is set, or the default. Null for what is secret or in a file.',
  }),
});

/** The settings and keys that a process works with. */
export const ProcessSettingsSchema = Type.Object({
  variables: Type.Array(ShownSettingSchema),
  masterKeys: Type.Array(Type.Object({ version: Count, fingerprint: Type.String() }), {
    description: 'Fingerprints of the master keys that it holds. Empty if it derives no keys.',
  }),
  keySetAgeMs: Type.Union([Type.Number(), Type.Null()], {
    description:
      'How long ago it read the key set of viewer tokens; of several issuers, the oldest. Null without one.',
  }),
});

export type ProcessSettings = Static<typeof ProcessSettingsSchema>;

const AppliedChangeSchema = Type.Object({
  /** In the change feed. */
  number: Count,
  /** The time of its row, by the clock of the machine that wrote it. */
  at: Instant,
  /** From the time of its row until it was applied here. As exact as the two clocks. */
  delayMs: Count,
  kind: Type.Union([Type.Literal('leases'), Type.Literal('api-key'), Type.Literal('content')]),
  leaseId: NullableText,
  viewerId: NullableText,
  contentId: NullableText,
});

/** A change of authority that a process has applied. */
export type AppliedChange = Static<typeof AppliedChangeSchema>;

/** One process's report of its last hour. */
export const ProcessReportSchema = Type.Object({
  startedAt: Instant,
  version: Type.String(),
  now: Type.Integer({ minimum: 0, description: 'Its clock when it wrote the report.' }),
  // Missing where the process does not follow the change feed.
  feed: Type.Optional(
    Type.Object({
      ageMs: Type.Union([Type.Number(), Type.Null()]),
      limitMs: Count,
    }),
  ),
  keyRequests: Type.Array(RequestStep),
  leaseRequests: Type.Array(RequestStep),
  otherRequests: Type.Array(RequestStep),
  playerReports: Type.Array(PlayerStep),
  activeLeases: Type.Array(Type.Object({ at: Instant, count: Count })),
  changes: Type.Array(AppliedChangeSchema),
  endedLeases: Type.Array(Type.Object({ at: Instant, count: Count })),
  // Missing where an older process reports.
  refusedCodes: Type.Optional(Type.Array(Type.Object({ code: Type.String(), count: Count }))),
  warnings: Type.Array(ConfigurationWarningSchema),
  // Missing where they were not asked for.
  refusals: Type.Optional(Type.Array(RefusedRequestSchema)),
  settings: Type.Optional(ProcessSettingsSchema),
});

export type ProcessReport = Static<typeof ProcessReportSchema>;
export type RequestStepReport = Static<typeof RequestStep>;
export type PlayerStepReport = Static<typeof PlayerStep>;

/** Throws a TypeError for a malformed report: the answers of other processes are not trusted. */
export const parseProcessReport = createStrictReader(ProcessReportSchema, 'the report of a process');

/** As many as a page can show. */
const mostRefusals = 500;

/** The query of the statistics. The gateway answers it; the service that decides about access validates it. */
export const StatisticsQuerySchema = Type.Object(
  {
    steps: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: stepsKept,
        default: stepsKept,
        description: 'How many of the latest points each series has at most: 360 are an hour.',
      }),
    ),
    refusals: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: mostRefusals,
        default: 0,
        description: 'How many of the latest refused requests for keys and leases are in the answer.',
      }),
    ),
    settings: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether the settings of each process are in the answer.',
      }),
    ),
  },
  { additionalProperties: false },
);
