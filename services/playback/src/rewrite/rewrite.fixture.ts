import type { RewriteRules, RewrittenPlaylist, SourcePlaylist } from './playlist.ts';
import { rewritePlaylist } from './rewrite-playlist.ts';

/** Rewrites without a pause. */
export function rewriteAtOnce(source: SourcePlaylist, rules: RewriteRules): RewrittenPlaylist {
  const steps = rewritePlaylist(source, rules);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The text of a session. */
export function writeAtOnce({ text }: RewrittenPlaylist, sid: string): string {
  return [...text.write(sid).pieces()].join('');
}
