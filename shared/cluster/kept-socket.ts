import type { Socket } from 'node:net';
import { AnswerBody, type AnswerLimits, type Head, lateAnswer, type Received } from './answer.ts';
import { AnswerParser } from './answer-parser.ts';

export interface SocketTimeouts {
  /** For a connection, including the TLS handshake. */
  readonly connectMs: number;
  /** How long a server may be silent before the connection counts as lost. */
  readonly silenceMs: number;
  /** How long a socket is kept without a request, or for less if the server says so. */
  readonly idleMs: number;
}

/** A request in bytes, and the callbacks for its answer. */
export interface Exchange {
  /** While it is under way. */
  carrier?: KeptSocket;
  readonly request: Buffer;
  readonly limits: Pick<AnswerLimits, 'bytes' | 'ms'>;
  readonly resolve: (answer: Received | Promise<Received>) => void;
  readonly reject: (error: unknown) => void;
}

/** Opens a socket; the event is the one by which it can be used. */
export type Connect = () => {
  readonly socket: Socket;
  readonly connected: 'connect' | 'secureConnect';
};

interface Owner {
  /** What to carry next, if anything waits. */
  readonly next: () => Exchange | undefined;
  readonly onIdle: () => void;
  readonly onClose: () => void;
}

/** A server's hint is as long as it waits itself; a request takes a while to arrive. */
const hintMarginMs = 1000;

/**
 * A socket that carries one exchange after the other.
 *
 * Guarantees: an exchange ends within the timeouts and its own limits, whatever the server does. After an error, or
 * if anything arrives while nothing was asked, the socket carries nothing more.
 * Caveats: what a server sends just after the next request counts as its answer, as for any client of HTTP/1.1.
 */
export class KeptSocket {
  readonly #socket: Socket;
  readonly #timeouts: SocketTimeouts;
  readonly #owner: Owner;
  #exchange: Exchange | undefined;
  #parser: AnswerParser | undefined;
  #body: AnswerBody | undefined;
  #timer: NodeJS.Timeout | undefined;
  #keepAlive = '';
  #idleUntil = 0;
  #isConnected = false;
  #isRetired = false;

  constructor({ socket, connected }: ReturnType<Connect>, timeouts: SocketTimeouts, owner: Owner) {
    this.#socket = socket;
    this.#timeouts = timeouts;
    this.#owner = owner;
    const { connectMs, silenceMs } = timeouts;
    const late = (): void =>
      this.destroy(new Error(`there was no connection within ${connectMs / 1000} s`));
    const timer = setTimeout(late, connectMs);
    const stop = (): void => clearTimeout(timer);
    const silent = (): void => this.destroy(new Error(`it was silent for ${silenceMs / 1000} s`));
    socket
      .once(connected, () => {
        this.#isConnected = true;
        stop();
      })
      .once('close', stop)
      .on('data', (part) => this.#receive(part))
      // Before that, an error says more.
      .on('end', () => this.#isConnected && this.#end())
      .on('error', (error) => this.destroy(error))
      .on('timeout', silent)
      .on('close', () => {
        this.#end();
        owner.onClose();
      });
  }

  /** Whether another request may be sent. */
  get isFresh(): boolean {
    return !this.#socket.destroyed && Date.now() < this.#idleUntil;
  }

  /** Sends a request; there must be no other. */
  carry(exchange: Exchange): void {
    exchange.carrier = this;
    this.#exchange = exchange;
    this.#parser = new AnswerParser({
      onHead: (head) => this.#begin(exchange, head),
      onBody: (part) => this.#body?.add(part),
    });
    this.#timer = setTimeout(
      () => this.destroy(lateAnswer(exchange.limits.ms)),
      exchange.limits.ms,
    );
    this.#socket.ref();
    this.#socket.setTimeout(this.#timeouts.silenceMs);
    this.#socket.write(exchange.request);
  }

  /** Lets it carry nothing more than what it carries now. */
  retire(): void {
    this.#isRetired = true;
    if (this.#exchange === undefined) this.#socket.destroy();
  }

  /** Closes the socket; what it carries fails with this error. */
  destroy(error: unknown): void {
    this.#socket.destroy();
    const [exchange, body] = this.#take();
    try {
      if (exchange !== undefined && body !== undefined) exchange.resolve(body.excess(error));
      else exchange?.reject(error);
    } catch {
      exchange?.reject(error);
    }
  }

  /** The body has as long again as what was before it. */
  #begin({ limits }: Exchange, head: Head): void {
    this.#timer?.refresh();
    this.#keepAlive = String(head.headers['keep-alive'] ?? '');
    this.#body = new AnswerBody(head, limits.bytes);
  }

  #receive(part: Buffer): void {
    try {
      if (this.#parser === undefined) throw new Error('it sent something that was not asked for');
      this.#parser.add(part);
      if (this.#parser.hasEnded) this.#finish(this.#parser);
    } catch (error) {
      this.destroy(error);
    }
  }

  #end(): void {
    this.#parser?.close();
    if (this.#parser?.hasEnded) this.#finish(this.#parser);
    const what =
      this.#body === undefined
        ? 'it closed the connection without an answer'
        : 'its answer broke off';
    this.destroy(new Error(what));
  }

  #finish({ isReusable }: AnswerParser): void {
    const [exchange, body] = this.#take();
    // A server may answer without reading the request, of which the rest would wait without a limit.
    if (!isReusable || this.#isRetired || this.#socket.writableLength > 0) this.#socket.destroy();
    else this.#goOn();
    if (body !== undefined) exchange?.resolve(body.take());
  }

  #goOn(): void {
    const next = this.#owner.next();
    const idleMs = Math.min(this.#timeouts.idleMs, hintMs(this.#keepAlive) - hintMarginMs);
    if (next !== undefined) this.carry(next);
    else if (idleMs <= 0) this.#socket.destroy();
    else this.#rest(idleMs);
  }

  #rest(idleMs: number): void {
    this.#idleUntil = Date.now() + idleMs;
    this.#socket.setTimeout(idleMs);
    this.#socket.unref();
    this.#owner.onIdle();
  }

  #take(): readonly [Exchange | undefined, AnswerBody | undefined] {
    const taken = [this.#exchange, this.#body] as const;
    clearTimeout(this.#timer);
    this.#exchange = this.#parser = this.#body = undefined;
    return taken;
  }
}

/** `timeout=5, max=100` is five seconds. */
function hintMs(keepAlive: string): number {
  const [, seconds] = /(?:^|[\s,])timeout=(\d{1,9})/i.exec(keepAlive) ?? [];
  return seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds) * 1000;
}
