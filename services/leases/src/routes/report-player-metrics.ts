import { ContentIdSchema } from '@latchkey/shared/contracts';
import { problems } from '@latchkey/shared/errors';
import type { App } from '@latchkey/shared/http';
import { describeMetric, type Metrics } from '@latchkey/shared/metrics';
import { type Static, Type } from '@latchkey/shared/schema';
import { Histogram } from 'prom-client';

/** No session is longer than a day. Without a bound, one false report would spoil every sum for good. */
const maxDurationMs = 86_400_000;
/** A day of segments of one second, ten times over. */
const maxCount = 1_000_000;

const Duration = Type.Number({ minimum: 0, maximum: maxDurationMs, description: 'Milliseconds.' });
const Count = Type.Integer({ minimum: 0, maximum: maxCount });

/** The result of the player's `getMetrics()` (`docs/reference/contract.md#player-metrics`). */
const PlayerMetricsSchema = {
  timeToFirstFrame: Type.Unsafe<number | null>({
    ...Duration,
    type: ['number', 'null'],
    description: 'Milliseconds; null before the first frame.',
  }),
  avgDecryptTime: Duration,
  avgFragLoadTime: Duration,
  avgKeyFetchTime: Duration,
  keyFetchCount: Count,
  qualitySwitches: Count,
  fragmentsLoaded: Count,
  stallCount: Count,
};

type PlayerMetrics = {
  [K in keyof typeof PlayerMetricsSchema]: Static<(typeof PlayerMetricsSchema)[K]>;
};

/** Around the targets of `docs/reference/contract.md#targets`: first frame 2 s, key 100 ms (alert at 500), decryption 5 ms. */
const firstFrameBuckets = [0.25, 0.5, 1, 1.5, 2, 3, 5, 10, 30];
const transferBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const decryptBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1];
const countBuckets = [0, 1, 2, 5, 10, 25, 50, 100, 250, 1_000];

const shown = {
  timeToFirstFrame: { name: 'latchkey_player_time_to_first_frame_seconds', buckets: firstFrameBuckets },
  avgDecryptTime: { name: 'latchkey_player_decrypt_seconds', buckets: decryptBuckets },
  avgFragLoadTime: { name: 'latchkey_player_fragment_load_seconds', buckets: transferBuckets },
  avgKeyFetchTime: { name: 'latchkey_player_key_fetch_seconds', buckets: transferBuckets },
  keyFetchCount: { name: 'latchkey_player_key_fetches', buckets: countBuckets },
  qualitySwitches: { name: 'latchkey_player_quality_switches', buckets: countBuckets },
  fragmentsLoaded: { name: 'latchkey_player_fragments_loaded', buckets: countBuckets },
  stallCount: { name: 'latchkey_player_stalls', buckets: countBuckets },
} as const satisfies Record<keyof PlayerMetrics, { name: string; buckets: number[] }>;

/** Registers the histograms of players' reports. They have no labels, so that neither viewers nor contents are stored. */
function createPlayerMetrics({ registry, statistics }: Pick<Metrics, 'registry' | 'statistics'>): {
  observe(report: PlayerMetrics): void;
} {
  const histograms = Object.entries(shown).map(([metric, { name, buckets }]) => ({
    metric: metric as keyof PlayerMetrics,
    divisor: name.endsWith('_seconds') ? 1_000 : 1,
    histogram: new Histogram({ ...describeMetric(name, registry), buckets }),
  }));
  return {
    observe(report) {
      statistics.countPlayerReport(report.timeToFirstFrame, report.stallCount);
      for (const { metric, divisor, histogram } of histograms) {
        const value = report[metric];
        if (value !== null) histogram.observe(value / divisor);
      }
    },
  };
}

const schema = {
  tags: ['player'],
  operationId: 'reportPlayerMetrics',
  summary: "Report the player's metrics",
  body: Type.Object(
    { ...PlayerMetricsSchema, contentId: Type.Optional(ContentIdSchema) },
    { additionalProperties: false },
  ),
  response: {
    204: Type.Null({ description: 'Counted' }),
    ...problems('VALIDATION_FAILED', 'UNAUTHENTICATED', 'INVALID_TOKEN', 'INSUFFICIENT_SCOPE'),
  },
};

/** `POST /api/v1/player-metrics` */
export function addReportPlayerMetricsRoute(app: App, { metrics }: { metrics: Metrics }): void {
  const playerMetrics = createPlayerMetrics(metrics);
  const config = { access: 'player-metrics', contents: 'none', limit: 'api' } as const;
  app.post('/api/v1/player-metrics', { config, schema }, async (request, reply) => {
    playerMetrics.observe(request.body);
    return reply.code(204).send(null);
  });
}
