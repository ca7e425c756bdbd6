import { DatabaseSizeSchema } from '@latchkey/shared/contracts';
import { problems } from '@latchkey/shared/errors';
import { nullableType } from '@latchkey/shared/http';
import { type Static, Type } from '@latchkey/shared/schema';
import {
  ConfigurationWarningSchema,
  ProcessSettingsSchema,
  StatisticsQuerySchema,
} from '@latchkey/shared/statistics';

const Instant = Type.String({ format: 'date-time' });
const Count = Type.Integer({ minimum: 0 });
const NullableMs = nullableType<number>({
  type: 'number',
  description: 'Milliseconds, right to 4 %; null if nothing was measured.',
});
const NullableShare = nullableType<number>({
  type: 'number',
  description: 'From 0 to 1; null if there was none.',
});
const NullableText = nullableType<string>({ type: 'string' });

const requestFigures = {
  count: Count,
  perSecond: Type.Number(),
  p50Ms: NullableMs,
  p95Ms: NullableMs,
  p99Ms: NullableMs,
  clientErrorShare: NullableShare,
  serverErrorShare: NullableShare,
};
const RequestSeries = (description: string) =>
  Type.Object(
    {
      source: Type.Union([Type.Literal('key-derivation'), Type.Literal('gateway')], {
        description: 'The process that measured it.',
      }),
      processes: Type.Integer({ description: 'How many processes are in it.' }),
      lastMinute: Type.Object(requestFigures),
      lastHour: Type.Object(requestFigures),
      series: Type.Array(Type.Object({ at: Instant, ...requestFigures }), {
        description:
          'Oldest first, one for each step since the first of these processes started; the last step is still going on.',
      }),
    },
    { description },
  );

const playerFigures = {
  reports: Count,
  firstFrameP50Ms: NullableMs,
  firstFrameP95Ms: NullableMs,
  stallsPerReport: nullableType<number>({ type: 'number' }),
};

const ChangeSchema = Type.Object({
  number: Type.Integer({ description: 'In the change feed.' }),
  at: Instant,
  kind: Type.Union([Type.Literal('leases'), Type.Literal('api-key'), Type.Literal('content')], {
    description:
      '`leases` is a revocation: of one lease, or of all of a viewer, of a content, or of the two together.',
  }),
  leaseId: NullableText,
  viewerId: NullableText,
  contentId: NullableText,
  slowestMs: nullableType<number>({ type: 'number', description: 'The longest of the delays.' }),
  reached: Type.Array(Type.Object({ replica: Type.String(), delayMs: Type.Integer() }), {
    description:
      'From the time of the change to when the replica gave no key by what was before: as right as the machines’ clocks.',
  }),
  pending: Type.Array(Type.String(), {
    description: 'Replicas that ran at that time and have not said that they applied it.',
  }),
});

const NullableInteger = (description: string) => nullableType<number>({ type: 'integer', description });

const ProcessSchema = Type.Object({
  service: Type.String({ description: '`single node`, `gateway`, `edge`, or the name of a service.' }),
  address: Type.String({
    description: 'Host and port, or a name where the process has no address of its own.',
  }),
  version: Type.String(),
  startedAt: Instant,
  feedAgeMs: NullableInteger(
    'How long ago it was known to have read every change; null if it has not yet, or does not follow the changes.',
  ),
  feedLimitMs: NullableInteger(
    'The age from which it serves no key by a cached state; null if it does not follow the changes.',
  ),
  clockSkewMs: Type.Integer({
    description: 'Its clock less the clock of the process that answers, by half of the round trip.',
  }),
  clockAccuracyMs: Type.Integer({
    description: 'How far the skew may be wrong, in milliseconds: half of the round trip.',
  }),
});

const SettingsSchema = Type.Object({
  database: Type.Union([DatabaseSizeSchema, Type.Null()], {
    description: 'What stores everything, and how much room it takes. Null if that cannot be read.',
  }),
  processes: Type.Array(
    Type.Object({ service: Type.String(), address: Type.String(), ...ProcessSettingsSchema.properties }),
  ),
});

const RefusalSchema = Type.Object({
  at: Instant,
  kind: Type.Union([Type.Literal('key'), Type.Literal('lease')]),
  status: Type.Integer(),
  code: Type.String(),
  viewerId: NullableText,
  issuedAt: Type.Optional(
    nullableType<string>({
      type: 'string',
      format: 'date-time',
      description: 'The `iat` of the token; null if it had none. Missing if no token was read.',
    }),
  ),
  contentIds: Type.Optional(
    nullableType<string[]>({
      type: 'array',
      items: { type: 'string' },
      description:
        'What the content claim of the token opened: ten ids at most, the id of the request first. Null: everything. Missing as `issuedAt`.',
    }),
  ),
  apiKeyId: NullableText,
  contentId: NullableText,
  epoch: nullableType<number>({ type: 'integer' }),
  leaseId: NullableText,
  clientIp: Type.String(),
  requestId: Type.String(),
  process: Type.String({ description: 'Which process refused it: its service and address.' }),
});

const ConcernSchema = Type.Object({
  id: Type.String({ description: 'The same for the same problem, also after it came back.' }),
  severity: Type.Union([Type.Literal('bad'), Type.Literal('warning')]),
  title: Type.String(),
  advice: Type.String({ description: 'What to do.' }),
});

/** The statistics that the overview of the dashboard shows. */
const StatisticsSchema = Type.Object(
  {
    at: Instant,
    stepSeconds: Type.Integer(),
    keyRequests: RequestSeries('Key requests, by every replica that derives keys.'),
    playbackRequests: RequestSeries(
      'Requests for keys and leases that the gateway which gives this answer has answered. Calls of the dashboard are left out.',
    ),
    requests: RequestSeries(
      'All requests, key requests included, that the gateway which gives this answer has answered: other gateways know theirs. Health checks are left out.',
    ),
    refusedCodes: Type.Array(Type.Object({ code: Type.String(), count: Count }), {
      description:
        'The codes of the 4xx answers in the last hour of `playbackRequests`, the most frequent first.',
    }),
    activeLeases: Type.Object({
      count: nullableType<number>({ type: 'integer' }),
      countedAt: nullableType<string>({ type: 'string', format: 'date-time' }),
      series: Type.Array(Type.Object({ at: Instant, count: Count })),
    }),
    endedLeases: Type.Object({
      lastHour: Type.Integer({
        description: 'Leases that players returned, or that a newer lease of their viewer replaced.',
      }),
    }),
    player: Type.Object({
      lastHour: Type.Object(playerFigures),
      series: Type.Array(Type.Object({ at: Instant, ...playerFigures }), {
        description: 'Only the steps in which players reported.',
      }),
    }),
    changes: Type.Array(ChangeSchema, {
      description: 'The latest changes of authority by management, newest first.',
    }),
    replicas: Type.Array(Type.Object({ replica: Type.String(), startedAt: Instant }), {
      description: 'The key-derivation replicas that answered.',
    }),
    processes: Type.Array(ProcessSchema, {
      description:
        'Every process that answered, the one that gives this answer first. Other gateways are not among them: they know only themselves.',
    }),
    ready: Type.Boolean(),
    dependencies: Type.Unsafe<Record<string, { status: string } & Record<string, unknown>>>(
      Type.Record(Type.String(), Type.Object({ status: Type.String() }, { additionalProperties: true }), {
        description: 'As `/ready` shows them.',
      }),
    ),
    concerns: Type.Array(ConcernSchema, {
      description:
        'All current problems, worst first. Webhooks get them as `alert.started` and `alert.ended`.',
    }),
    warnings: Type.Array(ConfigurationWarningSchema),
    refusals: Type.Array(RefusalSchema, {
      description:
        'The latest refused requests for keys and leases, newest first: as many as `refusals` asks for. Each process keeps 250, and as many without a known caller, in memory. A flood of one code pushes out its own.',
    }),
    settings: Type.Optional(SettingsSchema),
    missing: Type.Array(Type.Object({ service: Type.String(), address: Type.String() }), {
      description: 'Processes that did not answer in time. The figures do not include them.',
    }),
  },
  { title: 'Statistics' },
);

export type Statistics = Static<typeof StatisticsSchema>;
export type RequestFigures = Statistics['keyRequests']['lastHour'];
export type PlayerFigures = Statistics['player']['lastHour'];
export type ProcessFigures = Statistics['processes'][number];
export type Refusal = Statistics['refusals'][number];
export type Concern = Statistics['concerns'][number];
export type ChangeFigures = Statistics['changes'][number];

export const statisticsPath = '/api/v1/statistics';

/** The route in both profiles. */
export const statisticsRoute = {
  config: {
    access: 'manage',
    contents: 'whole-server',
    action: 'statistics.read',
    limit: 'api',
  } as const,
  schema: {
    tags: ['Service'],
    operationId: 'getStatistics',
    summary: 'The last hour in figures',
    description:
      'Held only in the memory of the processes: it begins again when a process restarts. With separate services the gateway ' +
      'gathers it from all of them, and names the processes that do not answer.',
    querystring: StatisticsQuerySchema,
    response: {
      200: Type.Object({ statistics: StatisticsSchema }),
      ...problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
    },
  },
};
