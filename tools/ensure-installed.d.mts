/** @public these are the types of `ensure-installed.mjs` */
export const pnpm: string;
