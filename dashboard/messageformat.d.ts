// The package has no types for this entry.
declare module '@messageformat/core/compile-module' {
  import type MessageFormat from '@messageformat/core';
  /** The source of a module that exports the compiled messages. */
  export default function compileModule(format: MessageFormat, messages: Record<string, string>): string;
}
