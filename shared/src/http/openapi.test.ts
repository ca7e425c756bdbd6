import { expect, test } from 'vitest';
import { createMetrics } from '../metrics/metrics.ts';
import { Type } from '../schema/type.ts';
import { createHost } from './host.ts';
import { addOpenApi } from './openapi.ts';

test('the document describes routes that came after it, and neither hidden ones nor methods that only this host knows', async () => {
  const ignore = () => {};
  const app = createHost({
    randomId: () => 'made',
    clientIpOf: () => '192.0.2.1',
    requestLog: { write: ignore, flush: ignore },
    operatorLog: { info: ignore, warn: ignore, error: ignore },
    metrics: createMetrics(),
  });
  addOpenApi(app, { version: '1.2.3', publicUrl: null });
  const query = Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1 })) });
  app.get('/shown', { config: { access: 'open' }, schema: { querystring: query } }, () => '');
  app.addHttpMethod('ACL', { hasBody: true });
  app.route({
    method: 'ACL',
    url: '/hidden',
    config: { access: 'open' },
    schema: { hide: true },
    handler: () => '',
  });
  for (const _ of ['the first reader', 'a later one']) {
    const { statusCode, body } = await app.inject('/openapi.json');
    expect(statusCode).toBe(200);
    const { info, paths } = JSON.parse(body);
    expect(info.version).toBe('1.2.3');
    expect(Object.keys(paths)).toEqual(['/shown']);
    expect(paths['/shown'].get.parameters).toEqual([
      { schema: { type: 'integer', minimum: 1 }, in: 'query', name: 'limit', required: false },
    ]);
  }
  await app.close();
});
