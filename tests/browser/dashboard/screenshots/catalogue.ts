/** An invented film library for the pictures. */
export const films: readonly [id: string, name: string, sizeMB: number][] = [
  ['north-of-the-harbour', 'North of the Harbour', 2_140],
  ['the-long-way-home', 'The Long Way Home', 1_820],
  ['salt-and-cedar', 'Salt and Cedar', 2_460],
  ['a-winter-in-lisbon', 'A Winter in Lisbon', 1_990],
  ['paper-lanterns', 'Paper Lanterns', 1_310],
  ['the-cartographer', 'The Cartographer', 2_730],
  ['night-ferry', 'Night Ferry', 1_640],
  ['orchard-street', 'Orchard Street', 980],
  ['les-heures-bleues', 'Les Heures bleues', 1_760],
  ['the-glassblower-s1e1', 'The Glassblower, 1: Sand', 890],
  ['the-glassblower-s1e2', 'The Glassblower, 2: Fire', 910],
  ['the-glassblower-s1e3', 'The Glassblower, 3: Breath', 905],
  ['old-trailer', 'Trailer, spring season', 120],
];

/** Where the playlists of the films are. */
export const playlistOrigin = 'https://cdn.example.com';

/** Where events are sent. */
export const webhookOrigin = 'https://hooks.example.com';

/** The content that is disabled in the pictures. */
export const disabledFilm = 'old-trailer';

export const apiKeys: readonly {
  name: string;
  scope: string;
  expiresInDays?: number;
  ageDays: number;
  usedMinutesAgo?: number;
}[] = [
  { name: 'Partner preview', scope: 'playback', expiresInDays: 9, ageDays: 21, usedMinutesAgo: 310 },
  { name: 'Nightly encode', scope: 'upload', expiresInDays: 170, ageDays: 64, usedMinutesAgo: 540 },
  { name: 'Website backend', scope: 'full', expiresInDays: 240, ageDays: 125, usedMinutesAgo: 2 },
  { name: 'Load test of autumn', scope: 'playback', expiresInDays: 60, ageDays: 140 },
  { name: 'Old encoder', scope: 'upload', ageDays: 310, usedMinutesAgo: 190_000 },
];

export const viewers: readonly string[] = [
  ...[
    'amelie.r',
    'bo-larsen',
    'c.okafor',
    'daniela92',
    'emre.k',
    'farah',
    'giulia-m',
    'hannes',
    'ines.p',
    'jonas-w',
  ],
  ...['kaito', 'lena.s', 'mateo', 'noor', 'olga.v', 'priya-n', 'quentin', 'rosa', 'sven.t', 'tomasz'],
];

export const devices: readonly string[] = [
  'living room',
  'phone',
  'tablet',
  'Firefox on Linux',
  'Chrome on macOS',
];

export const revocations: readonly (readonly [selector: Record<string, string>, reason: string])[] = [
  [{ viewerId: 'kaito' }, 'account shared, ticket 4127'],
  [{ viewerId: 'rosa' }, 'refunded'],
  [{ viewerId: 'hannes' }, 'chargeback'],
];
