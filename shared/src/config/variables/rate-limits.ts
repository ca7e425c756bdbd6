import { integer } from '../parsers.ts';
import { variable } from '../variable.ts';

/** A higher figure limits nothing. */
const mostPerMinute = 1_000_000;

const perMinute = (name: string, fallback: number, about: string) =>
  variable({ name, type: integer(1, mostPerMinute), fallback, about });

/** The figures of `RATE_LIMIT=on`. The first four are those of `docs/contract.md#rate-limits`. */
export const rateLimitVariables = {
  rateLimitKeys: perMinute(
    'RATE_LIMIT_KEYS_PER_MINUTE',
    60,
    'Key requests of a viewer, or of an address without one.',
  ),
  rateLimitApi: perMinute(
    'RATE_LIMIT_API_PER_MINUTE',
    30,
    'Calls of the API of an address, whatever its credential.',
  ),
  rateLimitPresign: perMinute('RATE_LIMIT_PRESIGN_PER_MINUTE', 10, 'Upload URLs of a viewer.'),
  rateLimitLeases: perMinute(
    'RATE_LIMIT_LEASES_PER_MINUTE',
    10,
    'Leases and sessions that a viewer creates or renews, together.',
  ),
  // Ten a second: four windows of the dashboard read two a second by themselves, and an admin who clicks adds three or four.
  rateLimitDashboard: perMinute(
    'RATE_LIMIT_DASHBOARD_PER_MINUTE',
    600,
    'What the dashboard reads with an API key.',
  ),
  // A live player reloads two playlists every few seconds. Viewers in a home share an address.
  rateLimitPlaylists: perMinute(
    'RATE_LIMIT_PLAYLISTS_PER_MINUTE',
    600,
    'Playlists of session URLs that an address fetches.',
  ),
  // Twenty a second: an encoder reads the keys of a film's hundred epochs at once, an upload asks for thousands of segments.
  rateLimitApiKey: perMinute(
    'RATE_LIMIT_API_KEY_PER_MINUTE',
    1_200,
    'Key requests, upload URLs and leases of an API key, each of the three by itself.',
  ),
};
