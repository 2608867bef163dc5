// The order of test files: as Vitest has it, with the longest first, so that no worker is left alone with it at the end.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const longest = /\/test\/(?:faults|journeys|db\/embedded)/;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const [long, short] = [true, false].map((isLong) =>
      sorted.filter(({ moduleId }) => longest.test(moduleId) === isLong),
    );
    return [...(long ?? []), ...(short ?? [])];
  }
}
