import { expect, test } from 'vitest';
import { renderOne } from './compositions.fixture.ts';

/** What players and packagers request. Each is the beginning of a path. */
const fromOutside = ['/keys', '/licenses', '/play', '/speke'];

test.each(['ingress', 'gateway-api'])(
  'with the component %s players reach keys, licences and the playlists of sessions, and packagers their keys',
  (component) => {
    const objects = renderOne(process.env, { overlay: 'distributed', components: [component] });
    const routes = objects.filter(({ kind }) => kind === 'Ingress' || kind === 'HTTPRoute');
    const text = JSON.stringify(routes);
    for (const path of fromOutside) expect(text).toContain(`"${path}"`);
  },
);
