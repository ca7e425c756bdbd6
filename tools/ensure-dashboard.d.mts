/**
 * Builds the dashboard when its sources or the lock file differ from what was built last.
 *
 * @returns whether the dashboard is built and up to date
 * @public these are the types of `ensure-dashboard.mjs`
 */
export function ensureDashboard(): boolean;
