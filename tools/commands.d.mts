interface WithoutDashboard {
  readonly withoutDashboard?: string;
}

interface Word extends WithoutDashboard {
  readonly entry: string;
  readonly about: string;
}

interface Command extends WithoutDashboard {
  readonly entry: readonly string[];
  readonly words?: Readonly<Record<string, Word>>;
}

/** @public these are the types of `commands.mjs` */
export const commands: Readonly<Record<string, Command>>;
/** @public these are the types of `commands.mjs` */
export function describeWords(name: string, command: string): string;
