interface Word {
  readonly entry: string;
  readonly about: string;
  /** The reason why the dashboard need not be built first. */
  readonly withoutDashboard?: string;
}

interface Command {
  readonly entry: readonly string[];
  readonly words?: Readonly<Record<string, Word>>;
}

/** @public these are the types of `commands.mjs` */
export const commands: Readonly<Record<string, Command>>;
/** @public these are the types of `commands.mjs` */
export function describeWords(name: string, command: string): string;
