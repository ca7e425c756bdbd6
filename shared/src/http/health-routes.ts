import type { Clock } from '../clock/clock.ts';
import type { Readiness } from '../lifecycle/index.ts';
import { type TSchema, Type } from '../schema/type.ts';
import type { App } from './routes.ts';

const HealthSchema = Type.Object({
  status: Type.Literal('ok'),
  version: Type.String(),
  uptimeSeconds: Type.Number(),
});

const ReadySchema: TSchema = Type.Object({
  status: Type.Union([Type.Literal('ready'), Type.Literal('not_ready')]),
  dependencies: Type.Record(
    Type.String(),
    Type.Object({ status: Type.String() }, { additionalProperties: true }),
  ),
});

/** `GET /health`: the process runs. `GET /ready`: it can do its work; if not, the answer names the missing dependency. */
export function addHealthRoutes(
  app: App,
  facts: { version: string; readiness: Readiness; clock: Clock },
): void {
  const startedAtMs = facts.clock.monotonic();
  app.get(
    '/health',
    {
      config: { access: 'open', waitsForNothing: true },
      schema: {
        operationId: 'getHealth',
        tags: ['Service'],
        summary: 'Whether the process runs',
        response: { 200: HealthSchema },
      },
    },
    () => {
      const uptimeSeconds = Math.round(facts.clock.monotonic() - startedAtMs) / 1_000;
      return { status: 'ok' as const, version: facts.version, uptimeSeconds };
    },
  );
  app.get(
    '/ready',
    {
      config: { access: 'open', waitsForNothing: true },
      schema: {
        tags: ['Service'],
        operationId: 'getReadiness',
        summary: 'Whether it can do its work',
        response: { 200: ReadySchema, 503: ReadySchema },
      },
    },
    async (_request, reply) => {
      const { ready, dependencies } = await facts.readiness.report();
      return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not_ready', dependencies });
    },
  );
}
