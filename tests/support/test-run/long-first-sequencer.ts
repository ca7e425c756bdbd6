import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** Tests that start servers and browsers, and tests of a million cases. If one of them began last, it would run on alone. */
const long = /^examples\/|^tests\/(api|browser|programs|oracle)\/|simulation\.test/;

/** Begins with the long test files. */
export default class LongFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId, project }: TestSpecification) =>
      long.test(moduleId.slice(project.config.root.length + 1));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
