import { type Api, reading } from '../api/api.ts';

/** As often as the server looks for problems to report. */
const everyMs = 30_000;

/** The open problems of the server, for every page. */
export const readingProblems = (api: Api) => ({
  ...reading(api, '/api/v1/statistics', { query: { steps: 1 } }),
  refetchInterval: everyMs,
});
