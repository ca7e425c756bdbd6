interface Output {
  /** Text of a worker, cut anywhere. */
  write(id: number, text: Buffer): void;
  /** The worker has ended: what it left of a line is written. */
  end(id: number): void;
}

const lineFeed = 0x0a;

/**
 * Joins the lines of several processes, each line whole. For logs that they cannot share (`canShareLog`): their texts would break each other
 * up where the reader is slow.
 *
 * @param write takes whole lines
 */
export function createOutput(write: (lines: string) => void): Output {
  const begun = new Map<number, Buffer>();
  return {
    write(id, text) {
      const whole = text.lastIndexOf(lineFeed) + 1;
      const before = begun.get(id);
      const rest = text.subarray(whole);
      if (whole > 0) {
        const lines = text.subarray(0, whole);
        write((before ? Buffer.concat([before, lines]) : lines).toString());
      }
      const left = whole > 0 || !before ? rest : Buffer.concat([before, rest]);
      if (left.length > 0) begun.set(id, left);
      else begun.delete(id);
    },
    end(id) {
      const left = begun.get(id);
      begun.delete(id);
      if (left) write(`${left}\n`);
    },
  };
}
