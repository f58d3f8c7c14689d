import { Buffer } from 'node:buffer';

const initialSize = 4096;

/** Grows one buffer, so that many small chunks take no more memory than a few large chunks. */
export class Body {
  #buffer = Buffer.alloc(0);
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(chunk: Buffer): void {
    const needed = this.#bytes + chunk.length;
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(initialSize, needed, 2 * this.#buffer.length));
      this.#buffer.copy(larger, 0, 0, this.#bytes);
      this.#buffer = larger;
    }
    chunk.copy(this.#buffer, this.#bytes);
    this.#bytes = needed;
  }

  /** Hands over the buffer, but keeps `bytes`. */
  take(): Buffer {
    const whole = this.#buffer.subarray(0, this.#bytes);
    this.#buffer = Buffer.alloc(0);
    return whole;
  }

  clear(): void {
    this.#buffer = Buffer.alloc(0);
    this.#bytes = 0;
  }
}
