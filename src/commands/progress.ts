// A progress bar on a terminal; nothing on a pipe.

export interface Progress {
  update(done: number, of: number): void;
  /** Removes the bar. */
  end(): void;
}

const width = 30;
const everyMs = 100;

/** Opens a progress bar on standard error with a label. `of` may be an estimate: the bar stays below 100 %. */
export function openProgress(label: string): Progress {
  const { stderr } = process;
  if (!stderr.isTTY) return { update() {}, end() {} };
  let lastMs = 0;
  return {
    update(done, of) {
      const nowMs = performance.now();
      if (nowMs - lastMs < everyMs) return;
      lastMs = nowMs;
      const share = of > 0 ? Math.min(0.99, done / of) : 0;
      const full = Math.round(share * width);
      const bar = `${'█'.repeat(full)}${'░'.repeat(width - full)}`;
      stderr.write(`\r${label} ${bar} ${Math.floor(share * 100)} % ${megabytes(done)}\x1b[K`);
    },
    end() {
      stderr.write('\r\x1b[K');
    },
  };
}

/** Bytes as megabytes for people. */
export const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;
