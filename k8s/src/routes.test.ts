import { expect, test } from 'vitest';
import { renderOne } from './compositions.fixture.ts';

/** What players request. Each is the beginning of a path. */
const ofPlayers = ['/keys', '/play'];

test.each(['ingress', 'gateway-api'])(
  'with the component %s players reach keys and the playlists of sessions',
  (component) => {
    const objects = renderOne(process.env, { overlay: 'distributed', components: [component] });
    const routes = objects.filter(({ kind }) => kind === 'Ingress' || kind === 'HTTPRoute');
    const text = JSON.stringify(routes);
    for (const path of ofPlayers) expect(text).toContain(`"${path}"`);
  },
);
