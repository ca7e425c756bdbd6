/** Every unreleased schema begins with this migration, and no released one has it. */
const unreleased = '0001-initial';

/** The database has the schema of a version before the first release, which this code cannot use. */
export class UnreleasedSchema extends Error {
  readonly forOperator = true;

  /** @param last the last migration that was applied */
  constructor(last: string) {
    super(
      `The database has the schema ${last} of a version before 0.3.0, which was never released. This version serves nothing from it. ` +
        'Set SQLITE_PATH or DATABASE_URL to a new database, and copy contents, keys and API keys into it: docs/operate/upgrade.md#from-a-version-before-030',
    );
  }
}

/**
 * @param applied the names of migrations in their order
 * @throws UnreleasedSchema
 */
export function refuseUnreleased(applied: readonly string[]): void {
  if (applied.includes(unreleased)) throw new UnreleasedSchema(applied.at(-1) ?? unreleased);
}
