import { segmentSeconds } from '@latchkey/rig/video/make-video';

/** A packaging of a video, registered as a content. */
export interface Presentation {
  /** Names its folder. */
  readonly id: string;
  readonly contentId: string;
  readonly label: string;
  /** Of the content. */
  readonly title: string;
}

/** The same video in its two packagings, each registered as a content of its own. */
export const presentations = [
  { id: 'ts', contentId: 'demo-ts', label: 'MPEG-TS', title: 'Demonstration, MPEG-TS' },
  { id: 'fmp4', contentId: 'demo-fmp4', label: 'fMP4', title: 'Demonstration, fragmented MP4' },
] as const satisfies readonly Presentation[];

/** A new key every so many segments: short enough to see one change, and a revocation take effect, within the video. */
export const segmentsOfPeriod = 5;
export const periodSeconds = segmentsOfPeriod * segmentSeconds;
