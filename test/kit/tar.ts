// A tar as other programs write it.

const encoder = new TextEncoder();

function header(path: string, size: number, kind = "0"): Uint8Array {
  const block = new Uint8Array(512);
  const put = (at: number, text: string) => block.set(encoder.encode(text), at);
  put(0, path.slice(0, 100));
  put(100, "0000644\0");
  put(124, `${size.toString(8).padStart(11, "0")}\0`);
  put(136, "00000000000\0");
  put(148, " ".repeat(8));
  put(156, kind);
  put(257, "ustar\x0000");
  const sum = block.reduce((all, byte) => all + byte, 0);
  put(148, `${sum.toString(8).padStart(6, "0")}\0 `);
  return block;
}

const padded = (bytes: Uint8Array): Uint8Array => {
  const whole = new Uint8Array(Math.ceil(bytes.length / 512) * 512);
  whole.set(bytes);
  return whole;
};

/** The line of an extended header says how long it is itself. */
function pathLine(path: string): Uint8Array {
  const rest = encoder.encode(` path=${path}\n`).length;
  const digits = String(rest + String(rest + 3).length).length;
  return encoder.encode(`${rest + digits} path=${path}\n`);
}

/** Paths that are long or not ASCII are said by an extended header. */
export function tarOf(files: Record<string, string | Uint8Array>): Blob {
  const parts: Uint8Array[] = [];
  for (const [path, content] of Object.entries(files)) {
    const bytes = typeof content === "string" ? encoder.encode(content) : content;
    if (!/^[ -~]{1,100}$/.test(path)) {
      const line = pathLine(path);
      parts.push(header("PaxHeader", line.length, "x"), padded(line));
    }
    parts.push(header(path.replace(/[^ -~]/g, "?"), bytes.length), padded(bytes));
  }
  return new Blob([...parts, new Uint8Array(1024)] as Uint8Array<ArrayBuffer>[]);
}
