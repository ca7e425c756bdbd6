import { EventEmitter } from 'node:events';

/** The process as a service sees it. `exited` resolves with the code. */
export class FakeProcess extends EventEmitter {
  argv = ['node', 'serve.ts'];
  pid = 4_242;
  stdin = { isTTY: false };
  out = '';
  log = '';
  stdout = {
    write: (text: string) => {
      this.out += text;
    },
  };
  stderr = { isTTY: false, writableLength: 0, on: () => {}, write: (text: string) => this.#onLog(text) };
  exited: Promise<number>;
  exit: (code: number) => void = () => {};

  constructor() {
    super();
    this.exited = new Promise((resolve) => {
      this.exit = resolve;
    });
  }

  /** Resolves once the log contains a match. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.log);
      if (match) return match;
      await new Promise((resolve) => this.once('log', resolve));
    }
  }

  #onLog(text: string): void {
    this.log += text;
    this.emit('log');
  }
}
