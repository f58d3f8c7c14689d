import { AnswerParser } from '../../shared/cluster/answer-parser.ts';

interface Parsed {
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  readonly isReusable?: boolean;
  readonly error?: string;
}

/** What the parser makes of an answer that arrives in these parts, as Latin-1; nothing of an incomplete one. */
export function answerOf(parts: readonly string[]): Parsed {
  let head = {};
  let body = '';
  const parser = new AnswerParser({
    onHead: (one) => {
      head = one;
    },
    onBody: (part) => {
      body += part.toString('latin1');
    },
  });
  try {
    for (const part of parts) parser.add(Buffer.from(part, 'latin1'));
    parser.close();
  } catch (error) {
    return { error: (error as Error).message };
  }
  const { hasEnded, isReusable } = parser;
  return hasEnded ? { ...head, body, isReusable } : {};
}
