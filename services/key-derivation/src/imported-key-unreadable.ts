import { AppError } from '@latchkey/shared/errors';

/** An imported key that does not open under the master key of its content: its row was changed, or comes from another installation. */
export class ImportedKeyUnreadable extends AppError {
  constructor(contentId: string) {
    const cause = new Error(
      `an imported key of ${contentId} does not open under the master key: its row was changed, or was wrapped by another installation. Import it again`,
    );
    super('DEPENDENCY_UNAVAILABLE', { cause });
  }
}
