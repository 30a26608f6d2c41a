import { expect, test } from "vitest";
import { decodeText } from "../../src/shared/import/encoding.ts";

// UTF-16 without a byte order mark is recognized in every script, in texts of ten signs and in long ones.

const TEXTS: Record<string, string[]> = {
  Devanagari: ["नमस्ते जी\n", "नमस्ते दुनिया यह\n", "सभी मनुष्यों को गौरव और अधिकारों के मामले में\nसमानता प्राप्त है।\n"],
  Bengali: ["ওহে দুনিয়", "সমস্ত মানুষ স্বাধীনভাবে সমান মর্যাদা এবং\nঅধিকার নিয়ে জন্মগ্রহণ করে।\n"],
  Gujarati: ["નમસ્તે જી\n", "સર્વ માનવો જન્મથી સ્વતંત્ર અને\nસમાન હોય છે.\n"],
  Telugu: ["నమస్తే డి\n", "మానవులెల్లరును జన్మతః స్వతంత్రులును\nసమానులును నగుదురు.\n"],
  Thai: ["สวัสดี ฉัน", "มนุษย์ทั้งหลายเกิดมามีอิสระ และเสมอภาคกัน\nในเกียรติศักดิ์\n"],
  Greek: ["Γειά σου!\n", "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι\nκαι ίσοι στην αξιοπρέπεια.\n"],
  Cyrillic: ["Привет вам", "Все люди рождаются свободными — и равными\nв своём достоинстве.\n"],
  Hebrew: ["שלום עולם\n", "כל בני האדם נולדו בני חורין\nושווים בערכם.\n"],
  Arabic: ["مرحبا بكم\n", "يولد جميع الناس أحرارا\nمتساوين في الكرامة.\n"],
  Japanese: [
    "日本語の文章です。\n",
    "おはなしがあります\n",
    "　第一条　すべての人間は、生まれながらにして自由であり、\n一つの一日です。\n",
  ],
  Korean: ["나는 학교에 간다\n", "모든 인간은 태어날 때부터 자유로우며\n가나다 가격이 가장 가깝다.\n"],
  Chinese: [
    "我们明天去北京吧。\n",
    "　第一条　人人生而自由，在尊严和权利上一律平等。\n一个人的一天，一月一日。\n",
  ],
  German: ["Grüße, Ada", "„Alle Menschen sind frei geboren“ – 5 €\nund gleich an Würde.\n"],
};

const bytesOf = (text: string, isBig: boolean) => {
  const bytes = Buffer.from(text, "utf16le");
  return new Uint8Array(isBig ? bytes.swap16() : bytes);
};

test.each(Object.entries(TEXTS))("%s", (_, texts) => {
  expect(texts[0]).toHaveLength(10);
  for (const text of [...texts, ...texts.map((one) => one.repeat(500))])
    for (const isBig of [false, true])
      expect(decodeText(bytesOf(text, isBig)), JSON.stringify(text.slice(0, 100))).toEqual({
        text,
        encoding: isBig ? "UTF-16BE" : "UTF-16LE",
      });
});

test("what is valid UTF-8 stays so, however uniform it is", () => {
  for (const text of [
    ...["1\t2\t3\t4\t", "1\n2\n3\n4\n", "1\t2\t3\t4\t5\t6\t7\t8\t9\t0\t1\t2\n", "- - - - ", "aaaa", "||||||"],
    ...[
      "abcb\n\0",
      "Hello wor\0ld",
      "שלום\0\0",
      "один\0два\0",
      "a\0\0b",
      "a\0\0bc\0",
      "1,2,3,4\n5,6,7,8\n\0\0",
    ],
    ...["बच्चे\tजी\n", "Hallo,\r\nWelt\r\n\0\0"],
  ])
    expect(decodeText(new TextEncoder().encode(text)), JSON.stringify(text)).toEqual({
      text,
      encoding: "UTF-8",
    });
});
