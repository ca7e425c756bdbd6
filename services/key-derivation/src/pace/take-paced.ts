import type { Decision } from '../decide-key-request.ts';
import type { KeyRequest } from '../key-request.ts';
import type { KeyPace } from './key-pace.ts';

/** @returns the milliseconds until the pace lets the viewer have the key; 0 where it does now, or where there is no pace */
export function takePaced<Pace extends KeyPace>(
  pace: Pace,
  { contentId, epoch }: Pick<KeyRequest, 'contentId' | 'epoch'>,
  decision: Exclude<Decision, { kind: 'read' }>,
): ReturnType<Pace['take']> | 0 {
  const { paced: periods, viewerId } = decision.kind === 'serve' ? decision : { paced: null, viewerId: null };
  if (periods === null || epoch === undefined || viewerId === null) return 0;
  return pace.take({ viewerId, contentId, epoch, periods }) as ReturnType<Pace['take']>;
}
