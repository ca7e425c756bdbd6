import type { Finding } from '../finding.ts';
import type { RunbookTopic } from './runbooks.ts';

/**
 * What a running installation shows. Only `wrong` counts as degraded: viewers notice it, or will soon. A `notice` is right for some
 * installations.
 */
export interface LiveFinding extends Omit<Finding, 'state'> {
  state: Finding['state'] | 'notice';
  /** Which page tells what to do. */
  topic?: RunbookTopic;
}
