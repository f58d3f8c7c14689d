import { type Connect, type Exchange, KeptSocket, type SocketTimeouts } from './kept-socket.ts';

const most = 8;

/**
 * Sends requests to one server over few sockets.
 *
 * Flow: a request takes the socket that was used last, or opens one, or waits until one is free.
 * Guarantees: there are at most eight sockets, and each request is settled. Time that a socket was idle counts by the
 * clock, as timers stand still while a function is frozen.
 */
export class SocketPool {
  #connect: Connect;
  readonly #timeouts: SocketTimeouts;
  readonly #open = new Set<KeptSocket>();
  /** The one that was used last is the last. */
  #idle: KeptSocket[] = [];
  /** In the order in which they came. */
  readonly #waiting = new Set<Exchange>();
  #closed: Error | undefined;

  constructor(connect: Connect, timeouts: SocketTimeouts) {
    this.#connect = connect;
    this.#timeouts = timeouts;
  }

  send(exchange: Exchange): void {
    this.#waiting.add(exchange);
    if (this.#closed === undefined) this.#serve();
    else this.abort(exchange, this.#closed);
  }

  /** Opens the sockets of later requests in this way; those that are open carry no further ones. */
  renew(connect: Connect): void {
    this.#connect = connect;
    for (const socket of this.#open) socket.retire();
  }

  /** Breaks off an exchange that is not settled yet. */
  abort(exchange: Exchange, reason: unknown): void {
    if (this.#waiting.delete(exchange)) exchange.reject(reason);
    else exchange.carrier?.destroy(reason);
  }

  /** Breaks off what is under way, and refuses further requests. */
  close(reason: Error): void {
    this.#closed = reason;
    for (const exchange of this.#waiting) this.abort(exchange, reason);
    for (const socket of this.#open) socket.destroy(reason);
  }

  #serve(): void {
    for (const exchange of this.#waiting)
      try {
        const socket = this.#take() ?? this.#connectNext();
        if (socket === undefined) return;
        this.#waiting.delete(exchange);
        socket.carry(exchange);
      } catch (error) {
        // Certificates that cannot be used, for one.
        this.abort(exchange, error);
      }
  }

  #next(): Exchange | undefined {
    const [next] = this.#waiting;
    if (next !== undefined) this.#waiting.delete(next);
    return next;
  }

  #take(): KeptSocket | undefined {
    for (let socket = this.#idle.pop(); socket !== undefined; socket = this.#idle.pop()) {
      if (socket.isFresh) return socket;
      socket.destroy(new Error('it was idle for too long'));
    }
    return undefined;
  }

  #connectNext(): KeptSocket | undefined {
    if (this.#open.size >= most) return undefined;
    const socket = new KeptSocket(this.#connect(), this.#timeouts, {
      next: () => this.#next(),
      onIdle: () => this.#idle.push(socket),
      onClose: () => {
        this.#open.delete(socket);
        this.#idle = this.#idle.filter((one) => one !== socket);
        this.#serve();
      },
    });
    this.#open.add(socket);
    return socket;
  }
}
