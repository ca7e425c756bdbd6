import { segmentSeconds } from '@latchkey/support/video/make-video';

/** A packaging of a video, registered as a content. */
export interface Presentation {
  /** Also the name of its folder. */
  readonly id: string;
  readonly contentId: string;
  readonly label: string;
  /** The name of the content. */
  readonly title: string;
}

/** The same video in its two packagings, each registered as a content of its own. */
export const presentations = [
  { id: 'ts', contentId: 'demo-ts', label: 'MPEG-TS', title: 'Demonstration, MPEG-TS' },
  { id: 'fmp4', contentId: 'demo-fmp4', label: 'fMP4', title: 'Demonstration, fragmented MP4' },
] as const satisfies readonly Presentation[];

/** Segments of a key period: few enough to see keys change, and a revocation take effect, within the video. */
export const segmentsOfPeriod = 5;
export const periodSeconds = segmentsOfPeriod * segmentSeconds;
