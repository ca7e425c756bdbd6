import { segmentSeconds } from './make-video.ts';

/** The same video in its two packagings, each registered as a content of its own. */
export const presentations = [
  { id: 'ts', contentId: 'demo-ts', label: 'MPEG-TS', title: 'Demonstration, MPEG-TS' },
  { id: 'fmp4', contentId: 'demo-fmp4', label: 'fMP4', title: 'Demonstration, fragmented MP4' },
] as const;

export type Presentation = (typeof presentations)[number];

/** A new key every so many segments: short enough to see one change, and a revocation take effect, within the video. */
export const segmentsOfPeriod = 5;
export const periodSeconds = segmentsOfPeriod * segmentSeconds;
