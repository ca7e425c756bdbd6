import { assertNotLimited } from '@latchkey/shared/auth';
import {
  contentsOf,
  NotACredential,
  UsageReportSchema,
  usageKinds,
  usageRequests,
} from '@latchkey/shared/contracts';
import { namedBy } from '@latchkey/shared/db';
import { problems } from '@latchkey/shared/errors';
import { type App, instantOf, readInstant, validationFailure } from '@latchkey/shared/http';
import { type RecordUsage, usagePath } from '@latchkey/shared/internal';
import { type Static, Type } from '@latchkey/shared/schema';
import type { AuthRouteOptions } from '../auth-route-options.ts';
import { readUsage, type UsageQuestion, type UsageSeries, usageSorts } from '../usage/read-usage.ts';
import { longestRangeMs, resolutionOf, shortestRangeMs } from '../usage/spans.ts';
import type { UsageAccess } from '../usage/usage-jobs.ts';

/** As many series as a legend can show. */
const defaultLimit = 8;
const mostSeries = 20;
const usualRangeMs = 3_600_000;
/** A minute is reported within 5 s after its end, and a busy server takes a few more. */
const reportedMs = 15_000;
const minuteMs = 60_000;
/** 1,000 counts with the longest ids. */
const bodyLimitBytes = 2 * 1024 * 1024;

const instant = (description: string) =>
  Type.String({ description: `${description} ISO 8601 with its offset, such as 2027-01-31T12:00:00Z.` });

const QuerySchema = Type.Object(
  {
    from: Type.Optional(
      instant('Start of the range: 15 minutes to 30 days before its end. Optional. Default: one hour.'),
    ),
    to: Type.Optional(instant('End of the range. Optional. Default: now.')),
    requests: Type.Optional(
      Type.Enum([...usageRequests, 'all'] as const, {
        default: 'keys',
        description: 'Requests for keys and licences, for leases and sessions, or both together.',
      }),
    ),
    by: Type.Optional(
      Type.Enum([...usageKinds], {
        description: 'The kind of a series. Optional. Default: `code`, or `content` for a limited API key.',
      }),
    ),
    // Postgres stores no NUL in a text, so no row has one.
    id: Type.Optional(
      Type.String({
        pattern: '^[^\\u0000]+$',
        maxLength: 1_024,
        description: 'One series alone: a code, or the id of a content, a viewer or an API key.',
        ...NotACredential,
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: mostSeries,
        default: defaultLimit,
        description: 'How many series at most: the first by `sort`.',
      }),
    ),
    sort: Type.Optional(
      Type.Enum([...usageSorts], {
        default: 'requests',
        description:
          'Which series are first: those with the most requests, or with the most refusals. By refusals, a series without one is left out.',
      }),
    ),
  },
  { additionalProperties: false },
);

const Count = Type.Integer({ minimum: 0 });
const seriesMembers = {
  served: Count,
  refused: Count,
  points: Type.Array(Type.Object({ at: Type.String(), served: Count, refused: Count }), {
    description: 'In order of time. `at` is the start of a step. A step without a request is left out.',
  }),
};

const UsageSchema = Type.Object(
  {
    unavailable: Type.Unsafe<'off' | null>({
      type: ['string', 'null'],
      description: 'Why there is no usage: `off` (USAGE_KEEP_DAYS=0). Null if there is usage.',
    }),
    requests: Type.String(),
    by: Type.String(),
    from: Type.String({ description: 'Start of the first step.' }),
    to: Type.String({ description: 'End of the last step.' }),
    stepSeconds: Type.Integer(),
    completeUntil: Type.String({
      description:
        'Requests after this time may not have been reported yet. A process that is cut off reports later.',
    }),
    totals: Type.Object(seriesMembers, { description: 'Each request once.' }),
    series: Type.Array(Type.Object({ id: Type.String(), ...seriesMembers })),
    other: Type.Object(seriesMembers, {
      description:
        'All that is not among `series`. The 50 busiest series of an interval and process are counted apart, the rest together.',
    }),
    grafanaUrl: Type.Unsafe<string | null>({ type: ['string', 'null'], description: '`GRAFANA_URL`.' }),
  },
  { title: 'Usage' },
);

/** `GET /api/v1/usage` */
export function addGetUsageRoute(app: App, { db, clock, usageAccess: access }: AuthRouteOptions): void {
  app.get(
    '/api/v1/usage',
    {
      config: { access: 'manage', contents: 'narrowed', action: 'usage.read', limit: 'api' },
      schema: {
        tags: ['Service'],
        operationId: 'getUsage',
        summary: 'Requests over time, by code, content, viewer or API key',
        description:
          'Kept over restarts: by minutes for USAGE_MINUTES_KEEP_HOURS, and by hours for USAGE_KEEP_DAYS. The server chooses the step by ' +
          'the range and by what is kept. A process that is killed loses the minute under way.',
        querystring: QuerySchema,
        response: {
          200: Type.Object({ usage: UsageSchema }),
          ...problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'),
        },
      },
    },
    async ({ query, principal }) => {
      const now = clock.now();
      const within = namedBy(db, contentsOf(principal));
      const question = toQuestion({ by: within ? 'content' : 'code', ...query }, access, now);
      if (principal && question.by !== 'content')
        assertNotLimited(
          principal,
          'manage',
          'This API key is limited to some contents: ask with `by=content`.',
        );
      const unavailable: 'off' | null = access.retention.days === 0 ? 'off' : null;
      const found = unavailable === null ? await readUsage(db, { ...question, within }) : nothing;
      const completeUntil = Math.min(question.to, floor(now - reportedMs, minuteMs));
      return {
        usage: {
          unavailable,
          requests: question.requests,
          by: question.by,
          from: instantOf(question.from),
          to: instantOf(question.to),
          stepSeconds: question.stepMs / 1_000,
          completeUntil: instantOf(completeUntil),
          totals: toView(found.totals),
          series: found.series.map(({ id, ...series }) => ({ id, ...toView(series) })),
          other: toView(found.other),
          grafanaUrl: access.grafanaUrl,
        },
      };
    },
  );
}

const none: UsageSeries = { served: 0, refused: 0, points: [] };
const nothing = { totals: none, series: [], other: none };

/** @throws AppError VALIDATION_FAILED for times that cannot be read, and for a range that is too short or too long */
function toQuestion(
  {
    from: given,
    to: end,
    requests = 'keys',
    by,
    id = undefined,
    limit = defaultLimit,
    sort = 'requests',
  }: Static<typeof QuerySchema> & Pick<UsageQuestion, 'by'>,
  { retention }: UsageAccess,
  now: number,
): UsageQuestion {
  const to = end === undefined ? now : readInstant(end, '/to');
  const from = given === undefined ? to - usualRangeMs : readInstant(given, '/from');
  if (to - from < shortestRangeMs || to - from > longestRangeMs)
    throw validationFailure('/from', 'must be 15 minutes to 30 days before the end of the range');
  const resolution = resolutionOf({ from, to }, retention, now);
  const { stepMs } = resolution;
  const ends = { from: floor(from, stepMs), to: Math.ceil(to / stepMs) * stepMs };
  return { ...resolution, ...ends, requests, by, id: id ?? null, limit, sort };
}

const floor = (at: number, stepMs: number) => at - (at % stepMs);

function toView({ served, refused, points }: UsageSeries) {
  return { served, refused, points: points.map(({ at, ...counts }) => ({ at: instantOf(at), ...counts })) };
}

/** Takes the reports of other processes. A body that was read here is one of this installation, behind `INTERNAL_SECRET`. */
export function addRecordUsageRoute(app: App, record: RecordUsage): void {
  app.post(
    usagePath,
    {
      config: { access: 'internal' },
      bodyLimit: bodyLimitBytes,
      schema: { hide: true, body: UsageReportSchema, response: { 200: Type.Object({}) } },
    },
    async ({ body }) => {
      await record(body);
      return {};
    },
  );
}
