/**
 * The flags of Node with which `npm start` runs the single node.
 *
 * @public these are the types of `single-node-command.mjs`
 */
export const singleNodeFlags: readonly string[];
