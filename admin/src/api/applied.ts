/** Members of an answer that waited until every process of the server had applied the change. */
export interface Applied {
  applied?: true;
  appliedAfterMs?: number;
}

/** The query of an act whose dialog says when it holds everywhere. */
export const untilApplied = { wait: 'applied' };
