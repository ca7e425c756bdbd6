import type { Decision } from '../decide-key-request.ts';
import type { KeyRequest } from '../key-request.ts';
import type { KeyPace, PacedKey } from './key-pace.ts';

/** @returns the milliseconds until the pace lets the viewer have the key; 0 if it does now, or if there is no pace */
export function takePaced<Pace extends Pick<KeyPace, 'take'>>(
  pace: Pace,
  request: Pick<KeyRequest, 'contentId' | 'epoch'>,
  decision: Exclude<Decision, { kind: 'read' }>,
): ReturnType<Pace['take']> | 0 {
  const key = pacedKeyOf(request, decision);
  return key ? (pace.take(key) as ReturnType<Pace['take']>) : 0;
}

/** @returns the key that a pace counts; null if there is no pace */
export function pacedKeyOf(
  { contentId, epoch }: Pick<KeyRequest, 'contentId' | 'epoch'>,
  decision: Exclude<Decision, { kind: 'read' }>,
): PacedKey | null {
  const { paced: periods, viewerId } = decision.kind === 'serve' ? decision : { paced: null, viewerId: null };
  if (periods === null || epoch === undefined || viewerId === null) return null;
  return { viewerId, contentId, epoch, periods };
}
