import { z } from 'zod';

/** Control characters could move the cursor of a terminal or hide a line. */
const toPrintable = (text: string) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?').slice(0, 500);

// Another release, or something else than Latchkey, may have sent the JSON. A member of another type counts as missing.
const text = z.string().transform(toPrintable).nullable().catch(null);
const name = text.transform((value) => value ?? 'unknown');
const number = z.number().nullable().catch(null);
const count = z.number().catch(0);
const fact = z
  .union([z.string().transform(toPrintable), z.number(), z.boolean()])
  .nullable()
  .catch(null);
const list = <T extends z.ZodType>(item: T) => z.array(item).catch([]);
const texts = list(text).transform((all) => all.filter((each) => each !== null));
const object = <S extends z.ZodRawShape>(shape: S) =>
  z.preprocess(
    (value) => (Object.prototype.toString.call(value) === '[object Object]' ? value : {}),
    z.object(shape),
  );
const byName = <T extends z.ZodType>(item: T) => z.record(z.string().transform(toPrintable), item).catch({});

/** Of `GET /health`. */
export const healthForm = object({ status: text, version: text, uptimeSeconds: number });

const dependency = object({
  ...{
    status: name,
    kind: fact,
    version: fact,
    writes: fact,
    draining: fact,
    addresses: fact,
    behindMs: fact,
  },
  ...{ downFor: texts, pending: texts, dependencies: byName(object({ status: name })) },
});

/** Of `GET /ready`. */
export const readinessForm = object({ status: text, dependencies: byName(dependency) });

/** Of `GET /api/v1/statistics`, or of its refusal. */
export const figuresForm = object({
  code: text,
  detail: text,
  statistics: object({
    at: text,
    keyRequests: object({
      lastMinute: object({ count, p95Ms: count, clientErrorShare: count, serverErrorShare: count }),
    }),
    changes: list(object({ kind: text, at: text, slowestMs: number, pending: texts })),
    processes: list(
      object({
        ...{ service: name, address: name, version: text, startedAt: text },
        ...{ feedAgeMs: number, feedLimitMs: number, clockSkewMs: number, clockAccuracyMs: number },
      }),
    ),
    missing: list(object({ service: name, address: text })),
    warnings: list(object({ code: text, severity: text, detail: text, title: text, documentation: text })),
  }),
});

export type Dependency = z.output<typeof dependency>;
export type Statistics = z.output<typeof figuresForm>['statistics'];
/** A process of the installation. Null: it did not say. */
export type LiveProcess = Statistics['processes'][number];
