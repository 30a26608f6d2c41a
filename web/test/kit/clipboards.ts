// What programs put on the clipboard, in their own formats, and the Markdown that a careful person would type for it.

export type Clipboard = { program: string; html?: string; plain: string; editor?: string; markdown: string };

const mso = (level: number, list: string, marker: string, text: string) =>
  `<p class=MsoListParagraphCxSpMiddle style='margin-left:${36 * level}.0pt;mso-add-space:auto;text-indent:-18.0pt;mso-list:${list} level${level} lfo1'><!--[if !supportLists]--><span
style='font-family:Symbol;mso-fareast-font-family:Symbol;mso-bidi-font-family:Symbol'><span style='mso-list:Ignore'>${marker}<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;
</span></span></span><!--[endif]-->${text}<o:p></o:p></p>`;

const WORD = `<html xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word">
<head><meta name=Generator content="Microsoft Word 15"><link rel=File-List href="file:///C:/Temp/clip_filelist.xml">
<!--[if gte mso 9]><xml><w:WordDocument><w:View>Normal</w:View></w:WordDocument></xml><![endif]-->
<style><!--
 /* Font Definitions */
 @font-face {font-family:Calibri; panose-1:2 15 5 2 2 2 4 3 2 4;}
 p.MsoNormal, li.MsoNormal, div.MsoNormal {margin-bottom:8.0pt; font-size:11.0pt;}
 span.Wichtig {mso-style-name:Wichtig; font-weight:bold; mso-bidi-font-weight:normal;}
--></style></head>
<body lang=DE style='tab-interval:35.4pt;word-wrap:break-word'>
<!--StartFragment-->
<p class=MsoTitle>Reise nach Lissabon<o:p></o:p></p>
<h2><span lang=EN-US>Plan</span><span lang=EN-US style='font-weight:bold'> A</span><o:p></o:p></h2>
<p class=MsoNormal><o:p>&nbsp;</o:p></p>
<p class=MsoNormal>Das ist <b style='mso-bidi-font-weight:normal'>wichtig </b>und <span class=Wichtig>dringend</span>,<span style='mso-spacerun:yes'>  </span><i>schnell</i><a style='mso-footnote-id:ftn1' href="#_ftn1" name="_ftnref1" title=""><span class=MsoFootnoteReference><span style='mso-special-character:footnote'><![if !supportFootnotes]><span class=MsoFootnoteReference><span style='font-size:11.0pt'>[1]</span></span><![endif]></span></span></a>.<o:p></o:p></p>
${mso(1, "l0", "·", "Flug")}
${mso(2, "l0", "o", "hin")}
${mso(2, "l0", "o", "zurück")}
${mso(1, "l0", "·", "Hotel")}
<p class=MsoNormal><o:p>&nbsp;</o:p></p>
<p class=MsoNormal>Zuerst:<o:p></o:p></p>
${mso(1, "l1", "1.", "packen")}
${mso(1, "l1", "2.", "gehen")}
<table class=MsoTableGrid border=1 cellspacing=0 cellpadding=0 style='border-collapse:collapse;border:none;mso-border-alt:solid windowtext .5pt'>
 <tr style='mso-yfti-irow:0'><td width=200 valign=top style='width:150.0pt'><p class=MsoNormal style='margin-bottom:0cm'><b>Tag<o:p></o:p></b></p></td>
 <td width=200 valign=top><p class=MsoNormal><b>Ziel<o:p></o:p></b></p></td></tr>
 <tr style='mso-yfti-irow:1;mso-yfti-lastrow:yes'><td><p class=MsoNormal>Montag<o:p></o:p></p><p class=MsoNormal>Dienstag<o:p></o:p></p></td>
 <td><p class=MsoNormal>Belém<o:p></o:p></p></td></tr>
</table>
<div style='mso-element:footnote-list'><![if !supportFootnotes]><br clear=all><hr align=left size=1 width="33%"><![endif]>
<div style='mso-element:footnote' id=ftn1><p class=MsoFootnoteText><a style='mso-footnote-id:ftn1' href="#_ftnref1" name="_ftn1" title=""><span class=MsoFootnoteReference><span style='mso-special-character:footnote'><![if !supportFootnotes]><span class=MsoFootnoteReference>[1]</span><![endif]></span></span></a> Mit dem Zug.<o:p></o:p></p></div></div>
<!--EndFragment-->
</body></html>`;

const EXCEL = `<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel" xmlns="http://www.w3.org/TR/REC-html40">
<head><meta http-equiv=Content-Type content="text/html; charset=utf-8"><meta name=ProgId content=Excel.Sheet>
<style>
<!--table {mso-displayed-decimal-separator:"\\,";}
.xl65 {font-weight:700; mso-number-format:"\\@";}
--></style></head>
<body link="#0563C1" vlink="#954F72">
<table border=0 cellpadding=0 cellspacing=0 width=192 style='border-collapse:collapse;width:144pt'>
<!--StartFragment-->
 <col width=64 span=2 style='width:48pt'>
 <tr height=20 style='height:15.0pt'><td height=20 class=xl65 width=64 style='height:15.0pt;width:48pt'>Posten</td><td class=xl65 width=64>Euro</td></tr>
 <tr height=20 style='height:15.0pt'><td height=20 style='height:15.0pt'>Hotel &amp; Frühstück</td><td align=right>310,50</td></tr>
 <tr height=20><td height=20>a|b<br>
    zwei</td><td></td></tr>
<!--EndFragment-->
</table>
</body></html>`;

const OUTLOOK = `<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word">
<head><style><!-- p.MsoNormal, li.MsoNormal {margin:0cm; font-size:11.0pt;} a:link {color:#0563C1;} --></style></head>
<body lang=EN-GB link="#0563C1"><!--StartFragment-->
<p class=MsoNormal><span style='mso-fareast-language:EN-US'>Dear Ada,<o:p></o:p></span></p>
<p class=MsoNormal><span style='mso-fareast-language:EN-US'><o:p>&nbsp;</o:p></span></p>
<p class=MsoNormal>the plan is <a href="https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fexample.com%2Fplan&amp;data=05%7C01%7C&amp;reserved=0"><u>here</u></a>.<o:p></o:p></p>
<div><div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm'>
<p class=MsoNormal><b><span lang=EN-US>From:</span></b><span lang=EN-US> Ada &lt;ada@example.com&gt; <br><b>Sent:</b> Monday<br><b>Subject:</b> Plan<o:p></o:p></span></p></div></div>
<p class=MsoNormal><o:p>&nbsp;</o:p></p>
<div style='border:none;border-left:solid blue 1.5pt;padding:0cm 0cm 0cm 4.0pt'><p class=MsoNormal>Where is it?<o:p></o:p></p><p class=MsoNormal><o:p>&nbsp;</o:p></p><p class=MsoNormal>Ada<o:p></o:p></p></div>
<!--EndFragment--></body></html>`;

const docsItem = (checked: boolean, text: string, level = 1) =>
  `<li dir="ltr" role="checkbox" aria-checked="${checked}" style="list-style-type:none;font-size:11pt;font-family:Arial,sans-serif;white-space:pre;margin-left:-20pt;" aria-level="${level}"><img src="data:image/png;base64,iVBORw0KGgo=" width="17.6px" height="17.6px" alt="${checked ? "checked" : "unchecked"}" aria-roledescription="checkbox" style="margin-right:3px;" /><p dir="ltr" style="line-height:1.38;display:inline-block;vertical-align:top;margin-top:0;margin-bottom:0;" role="presentation"><span style="font-size:11pt;font-weight:400;${checked ? "text-decoration:line-through;" : ""}white-space:pre-wrap;">${text}</span></p></li>`;

const DOCS = `<meta charset='utf-8'><meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-0a1b2c3d-7fff-1234-abcd-0123456789ab"><h2 dir="ltr" style="line-height:1.38;margin-top:18pt;"><span style="font-size:16pt;font-weight:400;font-style:normal;text-decoration:none;white-space:pre-wrap;">Packing</span></h2><p dir="ltr" style="line-height:1.38;margin-top:0pt;margin-bottom:0pt;"><span style="font-weight:400;white-space:pre-wrap;">Take </span><span style="font-weight:700;white-space:pre-wrap;">two</span><span style="font-weight:700;font-style:normal;white-space:pre-wrap;"> coats</span><span style="font-weight:400;font-style:italic;white-space:pre-wrap;">, really</span><span style="font-weight:400;white-space:pre-wrap;">: </span><a href="https://www.google.com/url?q=https://example.com/list&amp;sa=D&amp;source=editors" style="text-decoration:none;"><span style="font-weight:400;color:#1155cc;text-decoration:underline;white-space:pre-wrap;">the list</span></a></p><br /><ul style="margin-top:0;margin-bottom:0;padding-inline-start:48px;"><li dir="ltr" style="list-style-type:disc;" aria-level="1"><p dir="ltr" role="presentation"><span style="white-space:pre-wrap;">socks</span></p></li><ul style="margin-top:0;margin-bottom:0;"><li dir="ltr" style="list-style-type:circle;" aria-level="2"><p dir="ltr" role="presentation"><span style="white-space:pre-wrap;">warm ones</span></p></li></ul></ul><p dir="ltr"><span>Then:</span></p><ul style="padding-inline-start:28px;">${docsItem(false, "shoes")}${docsItem(true, "hat")}</ul><div dir="ltr" style="margin-left:0pt;" align="left"><table style="border:none;border-collapse:collapse;"><colgroup><col width="100" /><col width="100" /></colgroup><tbody><tr style="height:0pt"><td style="border-left:solid #000000 1pt;"><p dir="ltr"><span style="font-weight:700;white-space:pre-wrap;">Who</span></p></td><td><p dir="ltr"><span style="font-weight:700;white-space:pre-wrap;">What</span></p></td></tr><tr><td><p dir="ltr"><span>Ada</span></p><p dir="ltr"><span>Grace</span></p></td><td><ul><li dir="ltr" aria-level="1"><p dir="ltr" role="presentation"><span>tea</span></p></li><li dir="ltr" aria-level="1"><p dir="ltr" role="presentation"><span>milk</span></p></li></ul></td></tr></tbody></table></div></b><br class="Apple-interchange-newline">`;

const SHEETS = `<google-sheets-html-origin><style type="text/css"><!--td {border: 1px solid #cccccc;}br {mso-data-placement:same-cell;}--></style><table xmlns="http://www.w3.org/1999/xhtml" cellspacing="0" cellpadding="0" dir="ltr" border="1" style="table-layout:fixed;font-size:10pt;font-family:Arial;width:0px;border-collapse:collapse;border:none" data-sheets-root="1" data-sheets-baot="1"><colgroup><col width="100"/><col width="100"/></colgroup><tbody><tr style="height:21px;"><td style="overflow:hidden;padding:2px 3px;vertical-align:bottom;font-weight:bold;">Plant</td><td style="overflow:hidden;font-weight:bold;">Metres</td></tr><tr style="height:21px;"><td style="overflow:hidden;background-color:#fff2cc;">Tomato</td><td style="overflow:hidden;text-align:right;" data-sheets-value="{&quot;1&quot;:3,&quot;3&quot;:3}">3</td></tr><tr><td style="font-weight:bold;">All</td><td style="text-align:right;">3</td></tr></tbody></table>`;

const NOTION = `<meta charset='utf-8'><!-- notionvc: 5f0e4b7c-0000-4000-8000-000000000000 --><h1>Week</h1><p>Some <strong>bold</strong> and <code>code</code></p><ul id="a" class="to-do-list"><li><div class="checkbox checkbox-on"></div> <span class="to-do-children-checked">call Ada</span><div class="indented"></div></li></ul><ul id="b" class="to-do-list"><li><div class="checkbox checkbox-off"></div> <span class="to-do-children-unchecked">write</span><div class="indented"></div></li></ul><ul id="c" class="toggle"><li><details open=""><summary>More</summary><p>hidden words</p></details></li></ul><pre id="d" class="code"><code class="language-JavaScript">const a = 1;
let b;</code></pre><blockquote>said</blockquote>`;

const GMAIL = `<meta charset='utf-8'><div dir="ltr" style="color: rgb(34, 34, 34); font-family: Arial, Helvetica, sans-serif; font-size: small; font-style: normal; font-weight: 400; white-space: normal; background-color: rgb(255, 255, 255);">Hi Ada,<div><br></div><div>the train leaves at <b>9:40</b>.&nbsp;</div><div>Platform 7 <img data-emoji="🚂" alt="🚂" src="https://fonts.gstatic.com/s/e/notoemoji/16.0/1f682/32.png" class="an1"></div><div><br></div><div>Grace</div><img src="https://track.example/p.gif" width="1" height="1"></div><br class="gmail-Apple-interchange-newline"><div class="gmail_quote"><div dir="ltr" class="gmail_attr">On Mon, Ada &lt;<a href="mailto:ada@example.com">ada@example.com</a>&gt; wrote:<br></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);padding-left:1ex"><div dir="ltr">When?<div><br></div><div>Ada</div></div></blockquote></div>`;

const PAGES = `<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">
<html><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"><meta http-equiv="Content-Style-Type" content="text/css"><title></title><meta name="Generator" content="Cocoa HTML Writer">
<style type="text/css">
p.p1 {margin: 0.0px 0.0px 0.0px 0.0px; font: bold 18.0px 'Helvetica Neue'}
p.p2 {margin: 0.0px 0.0px 0.0px 0.0px; font: 11.0px 'Helvetica Neue'; min-height: 13.0px}
li.li2 {margin: 0.0px 0.0px 0.0px 0.0px; font: 11.0px 'Helvetica Neue'}
span.s1 {font-kerning: none}
span.s2 {font: italic 11.0px 'Helvetica Neue'; font-kerning: none}
span.s3 {text-decoration: line-through}
</style></head><body>
<p class="p1"><span class="s1">Menu</span></p>
<p class="p2"><span class="s1"></span><br></p>
<p class="p2"><span class="s1">Soup, </span><span class="s2">hot</span><span class="s1">, and <span class="s3">bread</span></span></p>
<ul class="ul1"><li class="li2"><span class="s1">leek</span></li><li class="li2"><span class="s1">salt</span></li></ul>
</body></html>`;

const SAFARI = `<meta charset="UTF-8"><h2 style="caret-color: rgb(0, 0, 0); color: rgb(0, 0, 0); font-style: normal; font-weight: 700; -webkit-text-stroke-width: 0px; text-decoration: none;">Tides</h2><p style="caret-color: rgb(0, 0, 0); font-family: -webkit-standard; font-style: normal; font-variant-caps: normal; font-weight: 400; orphans: auto; white-space: normal; -webkit-tap-highlight-color: rgba(26, 26, 26, 0.3); -webkit-text-size-adjust: auto; -webkit-text-stroke-width: 0px; text-decoration: none;">High&nbsp;water at<span class="Apple-converted-space">&nbsp;</span><strong style="font-weight: 700;"><span style="font-weight: 700;">noon</span></strong>, see <a href="https://en.wikipedia.org/wiki/Tide" style="-webkit-text-decoration: none;">Tide</a><sup><a href="#cite-1">[1]</a></sup> or <a href="https://example.com/tides">https://example.com/tides</a>.</p><br class="Apple-interchange-newline">`;

const CHROME = `<html>\r\n<body>\r\n<!--StartFragment--><h1 style="box-sizing: border-box; font-size: 2em;">AT&amp;T snake_case<a class="anchor" href="#a" aria-hidden="true"><svg></svg></a></h1><p style="box-sizing: border-box;">One <strong style="box-sizing: border-box; font-weight: 600;">bold:</strong>word, [sic] and 2 * 3</p><ol dir="auto" start="3"><li>three</li><li><p>four</p></li></ol><ul class="contains-task-list"><li class="task-list-item"><input type="checkbox" disabled="" checked=""> done</li></ul><div class="highlight"><pre class="notranslate"><code class="language-sh">npm  start\nls</code></pre></div><hr><p>End<br>line</p><!--EndFragment-->\r\n</body>\r\n</html>`;

const CODE = `<meta charset='utf-8'><div style="color: #d4d4d4;background-color: #1e1e1e;font-family: Menlo, Monaco, 'Courier New', monospace;font-weight: normal;font-size: 12px;line-height: 18px;white-space: pre;"><div><span style="color: #569cd6;">if</span> (a) {</div><div>&nbsp; b();</div><div>}</div></div>`;

const WORD_COMMENTED = `<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word"><head><meta name=Generator content="Microsoft Word 15"></head><body lang=EN-GB>
<!--StartFragment-->
<p class=MsoNormal>Water is H<sub>2</sub>O, 10<sup>6</sup> <span style='background:yellow;mso-highlight:yellow'>litres of it</span>, <s>not less</s> and on the 2<sup>nd</sup> <a style='mso-comment-reference:AL_1;mso-comment-date:20260101T1200'>day</a><span class=MsoCommentReference><span style='font-size:8.0pt'><![if !supportAnnotations]><a class=msocomanchor id="_anchor_1" href="#_msocom_1" language=JavaScript name="_msoanchor_1">[AL1]</a><![endif]><span style='mso-special-character:comment'>&nbsp;</span></span></span>.<o:p></o:p></p>
<div style='mso-element:comment-list'><![if !supportAnnotations]><hr class=msocomoff align=left size=1 width="33%"><![endif]><div style='mso-element:comment'><![if !supportAnnotations]><div id="_com_1" class=msocomtxt language=JavaScript><![endif]><span style='mso-comment-author:"Ada"'><![if !supportAnnotations]><a name="_msocom_1"></a><![endif]></span><p class=MsoCommentText><span class=MsoCommentReference><span style='font-size:8.0pt'><span style='mso-special-character:comment'>&nbsp;</span><![if !supportAnnotations]><a href="#_msoanchor_1" class=msocomoff>[AL1]</a><![endif]></span></span>Really?<o:p></o:p></p><![if !supportAnnotations]></div><![endif]></div></div>
<!--EndFragment--></body></html>`;

const onlineRun = (text: string, style = "") =>
  `<span data-contrast="auto" xml:lang="EN-GB" lang="EN-GB" class="TextRun SCXW120 BCX0" style="-webkit-user-drag: none; margin: 0px; padding: 0px; font-size: 11pt; line-height: 19px; ${style}"><span class="NormalTextRun SCXW120 BCX0" style="-webkit-user-drag: none; margin: 0px;">${text}</span></span>`;
const ONLINE_END = `<span class="EOP SCXW120 BCX0" data-ccp-props="{&quot;201341983&quot;:0}" style="font-size: 11pt;">&nbsp;</span>`;
const onlineItem = (level: number, text: string) =>
  `<div class="ListContainerWrapper SCXW120 BCX0" style="position: relative;"><ul class="BulletListStyle1 SCXW120 BCX0" role="list" style="list-style-type: disc;"><li aria-setsize="-1" data-leveltext="" data-font="Symbol" data-listid="1" role="listitem" data-aria-posinset="1" data-aria-level="${level}" class="OutlineElement Ltr SCXW120 BCX0" style="margin: 0px 0px 0px ${24 * level}px;"><p class="Paragraph SCXW120 BCX0" xml:lang="EN-GB" lang="EN-GB" paraid="1">${onlineRun(text)}${ONLINE_END}</p></li></ul></div>`;

const WORD_ONLINE = `<html><body>\r\n<!--StartFragment--><div class="OutlineElement Ltr SCXW120 BCX0"><p class="Paragraph SCXW120 BCX0" role="heading" aria-level="2">${onlineRun("Plan")}${ONLINE_END}</p></div><div class="OutlineElement Ltr SCXW120 BCX0"><p class="Paragraph SCXW120 BCX0">${onlineRun("Some ")}${onlineRun("bold", "font-weight: bold;")}${onlineRun(" words.")}${ONLINE_END}</p></div>${onlineItem(1, "one")}${onlineItem(2, "inner")}${onlineItem(1, "two")}<!--EndFragment-->\r\n</body></html>`;

const OUTLOOK_WEB = `<html><body><!--StartFragment--><div class="elementToProof" style="font-family: Aptos, Arial, sans-serif; font-size: 12pt; color: rgb(0, 0, 0);">Dear Ada,</div><div class="elementToProof" style="font-family: Aptos, Arial; font-size: 12pt;"><br></div><div class="elementToProof" style="font-family: Aptos; font-size: 12pt;">the plan is <a href="https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fexample.com%2Fplan&amp;data=05" id="OWA1" class="OWAAutoLink" data-linkindex="0">here</a> and <b>final</b>.</div><ul data-editing-info="{}"><li style="font-size: 12pt;"><div role="presentation" class="elementToProof">tickets</div></li><li><div role="presentation" class="elementToProof">hotel</div></li></ul><div class="elementToProof">Grace</div><!--EndFragment--></body></html>`;

const SLACK = `<meta charset='utf-8'><span style="color: rgb(29, 28, 29); font-family: Slack-Lato, sans-serif; font-weight: 400; white-space: normal; background-color: rgb(248, 248, 248); display: inline !important; float: none;">Before </span><b data-stringify-type="bold" style="box-sizing: inherit; font-weight: 700;">noon</b><span style="font-weight: 400;"><span>&nbsp;</span>run<span>&nbsp;</span></span><code data-stringify-type="code" class="c-mrkdwn__code" style="font-size: 12px;">npm ci</code><br style="box-sizing: inherit;"><ul data-stringify-type="unordered-list" data-list-tree="true" class="p-rich_text_list p-rich_text_list__bullet p-rich_text_list--nested" data-indent="0" data-border="0"><li data-stringify-indent="0" data-stringify-border="0">one</li></ul><ul data-stringify-type="unordered-list" class="p-rich_text_list p-rich_text_list__bullet" data-indent="1" data-border="0"><li data-stringify-indent="1" data-stringify-border="0">inner</li></ul><ul data-stringify-type="unordered-list" class="p-rich_text_list" data-indent="0" data-border="0"><li data-stringify-indent="0">two</li></ul>`;

const GITHUB = `<html><body><!--StartFragment--><div class="markdown-heading" dir="auto"><h2 tabindex="-1" class="heading-element" dir="auto">Install</h2><a id="user-content-install" class="anchor" aria-label="Permalink: Install" href="https://github.com/a/b#install"><svg class="octicon octicon-link" aria-hidden="true"><path d="m7"></path></svg></a></div><p dir="auto">Press <kbd>Ctrl</kbd>+<kbd>C</kbd>, then <del>wait</del>:</p><div class="highlight highlight-source-shell notranslate position-relative overflow-auto" dir="auto"><pre>npm install <span class="pl-k">&amp;&amp;</span> npm start\nls</pre><div class="zeroclipboard-container"><clipboard-copy aria-label="Copy" class="ClipboardButton btn" value="npm install" tabindex="0" role="button"><svg aria-hidden="true"></svg></clipboard-copy></div></div><div class="markdown-alert markdown-alert-note" dir="auto"><p class="markdown-alert-title" dir="auto"><svg class="octicon octicon-info"></svg>Note</p><p dir="auto">Node 24.</p></div><p dir="auto"><g-emoji class="g-emoji" alias="tada">🎉</g-emoji> Done<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref="" aria-describedby="footnote-label">1</a></sup></p><!--EndFragment--></body></html>`;

const CHAT = `<meta charset='utf-8'><p data-start="0" data-end="40">The energy is <span class="katex"><span class="katex-mathml"><math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></mrow><annotation encoding="application/x-tex">E = m_0 c^2</annotation></semantics></math></span><span class="katex-html" aria-hidden="true"><span class="base"><span class="mord">E</span></span></span></span> and <mark>no more</mark>:</p><pre class="overflow-visible!"><div class="contain-inline-size rounded-2xl relative"><div class="flex items-center text-xs font-sans justify-between h-9">python</div><div class="sticky top-9"><div class="absolute end-0 bottom-0"><button class="flex gap-1 items-center" aria-label="Copy">Copy code</button></div></div><div class="overflow-y-auto p-4" dir="ltr"><code class="whitespace-pre! language-python"><span><span class="hljs-keyword">def</span> f():\n    return 1\n</span></code></div></div></pre><ol data-start="1"><li data-start="2"><p><strong>First</strong>: this</p></li><li><p>Then that</p></li></ol>`;

const DOCS_STYLED = `<meta charset='utf-8'><b style="font-weight:normal;" id="docs-internal-guid-1b2c"><p dir="ltr" style="line-height:1.38;"><span style="font-size:11pt;background-color:#ffff00;font-weight:400;white-space:pre-wrap;">Marked</span><span style="font-size:11pt;background-color:transparent;font-weight:400;white-space:pre-wrap;"> and </span><span style="text-decoration:line-through;-webkit-text-decoration-skip:none;white-space:pre-wrap;">struck</span><span style="white-space:pre-wrap;">, CO</span><span style="font-size:11pt;white-space:pre-wrap;"><span style="font-size:0.6em;vertical-align:sub;">2</span></span><span style="white-space:pre-wrap;"> at 10</span><span style="white-space:pre-wrap;"><span style="font-size:0.6em;vertical-align:super;">-3</span></span></p></b>`;

const OBSIDIAN = `<meta charset='utf-8'><h2 data-heading="Trip" dir="auto" class="heading">Trip</h2><p dir="auto">See <a data-href="People/Ada" href="People/Ada" class="internal-link" target="_blank" rel="noopener nofollow">Ada</a> and <a data-href="Grace" href="Grace" class="internal-link" target="_blank" rel="noopener nofollow">Grace</a> <a href="#trip" class="tag" target="_blank">#trip</a> <mark>soon</mark></p><ul class="contains-task-list has-list-bullet"><li data-line="0" data-task="x" class="task-list-item is-checked" dir="auto"><input data-line="0" type="checkbox" class="task-list-item-checkbox" checked="">tickets</li></ul><div data-callout-metadata="" data-callout-fold="" data-callout="warning" class="callout"><div class="callout-title" dir="auto"><div class="callout-icon"><svg></svg></div><div class="callout-title-inner">Mind the gap</div></div><div class="callout-content"><p dir="auto">Between them.</p></div></div>`;

const LIBREOFFICE = `<!DOCTYPE html><html><head><meta http-equiv="content-type" content="text/html; charset=utf-8"/><title></title><meta name="generator" content="LibreOffice 24.2 (Linux)"/><style type="text/css">@page { size: 21cm 29.7cm; margin: 2cm } p { line-height: 115%; margin-bottom: 0.25cm; background: transparent }</style></head><body lang="en-GB" link="#000080" vlink="#800000" dir="ltr"><h1 class="western">Menu</h1><p style="line-height: 100%; margin-bottom: 0cm">Soup, <i>hot</i>, <span style="font-weight: normal">and</span> <font color="#c9211e"><b>bread</b></font></p><p style="margin-bottom: 0cm"><br/></p><ul><li><p style="margin-bottom: 0cm">leek</p></li><ul><li><p>green</p></li></ul><li><p>salt</p></li></ul></body></html>`;

const APPLE_MAIL = `<meta charset="UTF-8"><div style="caret-color: rgb(0, 0, 0); color: rgb(0, 0, 0); font-family: Helvetica; font-size: 12px; font-weight: 400;">Hi Ada,</div><div style="font-family: Helvetica;"><br class=""></div><div style="font-family: Helvetica;">the <b class="">train</b> leaves at noon.</div><div><br><blockquote type="cite" class=""><div class="">On 1 Jan 2026, at 12:00, Ada &lt;<a href="mailto:ada@example.com" class="">ada@example.com</a>&gt; wrote:</div><br class="Apple-interchange-newline"><div class=""><div class="">When?</div></div></blockquote></div><br class="Apple-interchange-newline">`;

const JETBRAINS = `<html><head><meta http-equiv="content-type" content="text/html; charset=UTF-8"></head><body><pre style="background-color:#ffffff;color:#000000;font-family:'JetBrains Mono',monospace;font-size:9.8pt;"><span style="color:#0033b3;">if </span>(a) {<br>&#32;&#32;b();<br>}</pre></body></html>`;

const WORD_LEVELS = `<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word"><head><meta name=Generator content="Microsoft Word 15"><style><!--
p.MsoListBullet, li.MsoListBullet, div.MsoListBullet {mso-style-priority:99; margin-left:18.0pt; text-indent:-18.0pt; mso-list:l1 level1 lfo2; font-size:11.0pt;}
p.MsoListBullet2, li.MsoListBullet2 {margin-left:32.15pt; text-indent:-18.0pt; mso-list:l0 level1 lfo4;}
@list l0 {mso-list-id:-125;}
--></style></head><body lang=EN-GB><!--StartFragment--><p class=MsoListParagraphCxSpMiddle style='margin-left:36.0pt;mso-add-space:auto;text-indent:-18.0pt;mso-list:l0 level1 lfo1'><!--[if !supportLists]--><span style='mso-fareast-font-family:Calibri'><span style='mso-list:Ignore'>1<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp; </span></span></span><!--[endif]-->Scope<o:p></o:p></p>
<p class=MsoListParagraphCxSpMiddle style='margin-left:72.0pt;mso-add-space:auto;text-indent:-18.0pt;mso-list:l0 level2 lfo1'><!--[if !supportLists]--><span style='mso-fareast-font-family:Calibri'><span style='mso-list:Ignore'>1.1<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp; </span></span></span><!--[endif]-->Inside<o:p></o:p></p>
<p class=MsoListParagraphCxSpMiddle style='margin-left:72.0pt;mso-add-space:auto;text-indent:-18.0pt;mso-list:l0 level2 lfo1'><!--[if !supportLists]--><span style='mso-fareast-font-family:Calibri'><span style='mso-list:Ignore'>1.2<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp; </span></span></span><!--[endif]-->Outside<o:p></o:p></p>
<p class=MsoListParagraphCxSpMiddle style='margin-left:36.0pt;mso-add-space:auto;text-indent:-18.0pt;mso-list:l0 level1 lfo1'><!--[if !supportLists]--><span style='mso-fareast-font-family:Calibri'><span style='mso-list:Ignore'>2<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp; </span></span></span><!--[endif]-->Terms<o:p></o:p></p><!--EndFragment--></body></html>`;

const WORD_STYLED = `<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word"><head><meta name=Generator content="Microsoft Word 15"><style><!--
p.MsoListBullet, li.MsoListBullet, div.MsoListBullet {mso-style-priority:99; margin-left:18.0pt; text-indent:-18.0pt; mso-list:l1 level1 lfo2; font-size:11.0pt;}
p.MsoListBullet2, li.MsoListBullet2 {margin-left:32.15pt; text-indent:-18.0pt; mso-list:l0 level1 lfo4;}
@list l0 {mso-list-id:-125;}
--></style></head><body lang=EN-GB><!--StartFragment--><p class=MsoListBullet><![if !supportLists]><span style='font-family:Symbol;mso-fareast-font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp;&nbsp; </span></span></span><![endif]>Flug<o:p></o:p></p><p class=MsoListBullet2><![if !supportLists]><span style='font-family:Symbol;mso-fareast-font-family:Symbol'><span style='mso-list:Ignore'>o<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp;&nbsp; </span></span></span><![endif]>hin<o:p></o:p></p><p class=MsoListBullet><![if !supportLists]><span style='font-family:Symbol;mso-fareast-font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp;&nbsp; </span></span></span><![endif]>Hotel<o:p></o:p></p><!--EndFragment--></body></html>`;

const EXCEL_MERGED = `<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><meta name=ProgId content=Excel.Sheet><style><!--table {mso-displayed-decimal-separator:"\\,";}
.xl65 {font-weight:700; text-align:center;} .xl66 {mso-number-format:"_-* \\#\\,\\#\\#0\\.00\\\\ \\0022€\\0022_-";} .xl67{mso-number-format:"Short Date";} .xl68{mso-number-format:0%;} .xl69{color:red;font-style:italic;}
--></style></head><body link=blue vlink=purple><table border=0 cellpadding=0 cellspacing=0 width=256><!--StartFragment--><col width=64 span=3>
 <tr height=20><td colspan=3 height=20 class=xl65 width=192>Kosten 2026</td></tr>
 <tr height=20><td height=20>Posten</td><td>Datum</td><td>Betrag</td></tr>
 <tr height=20><td rowspan=2 height=40>Reise</td><td class=xl67 align=right x:num>01.02.2026</td><td class=xl66><span style='mso-spacerun:yes'>&nbsp;</span>1.310,50 € </td></tr>
 <tr height=20><td class=xl67 align=right>03.02.2026</td><td class=xl68 align=right>12%</td></tr>
 <tr height=20><td height=20>Summe</td><td>&nbsp;</td><td class=xl69 align=right>#DIV/0!</td></tr>
 <![if supportMisalignedColumns]><tr height=0 style='display:none'><td width=64></td><td width=64></td><td width=64></td></tr><![endif]><!--EndFragment--></table></body></html>`;

const GMAIL_SIGNED = `<meta charset='utf-8'><div dir="ltr" style="font-family: Arial;"><div>Hi Ada,</div><div><br></div><div>thanks – I'll send it <b>tomorrow</b>.</div><div><ul><li>slides</li><li>notes</li></ul></div><div><br clear="all"></div><div><br></div><span class="gmail_signature_prefix">-- </span><br><div dir="ltr" class="gmail_signature" data-smartmail="gmail_signature"><div dir="ltr">Grace Hopper<div>Rear Admiral</div><div><a href="https://example.com/">example.com</a></div></div></div></div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">On Mon, 2 Nov 2026 at 10:00, Ada Lovelace &lt;<a href="mailto:ada@example.com">ada@example.com</a>&gt; wrote:<br></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);padding-left:1ex"><div dir="ltr"><div>Hello,</div><div><br></div><div>where is it?</div></div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">On Sun, Grace wrote:<br></div><blockquote class="gmail_quote"><div>Soon.</div></blockquote></div></blockquote></div>`;

const NOTION_CALLOUT = `<meta charset='utf-8'><!-- notionvc: 5f0e4b7c --><h2>Plan</h2><ul class="toggle"><li><details open=""><summary>More</summary><p>hidden words</p><ul class="bulleted-list"><li style="list-style-type:disc">inner</li></ul></details></li></ul><figure class="block-color-gray_background callout" style="white-space:pre-wrap;display:flex" id="x"><div style="font-size:1.5em"><span class="icon">💡</span></div><div style="width:100%">Remember <strong>this</strong></div></figure><div id="y" class="column-list"><div style="width:50%" class="column"><p>left</p></div><div style="width:50%" class="column"><p>right</p></div></div><ul class="to-do-list"><li><div class="checkbox checkbox-off"></div> <span class="to-do-children-unchecked">outer</span><ul class="to-do-list"><li><div class="checkbox checkbox-on"></div> <span class="to-do-children-checked">inner</span></li></ul></li></ul><table class="simple-table"><thead class="simple-table-header"><tr><th class="simple-table-header-color simple-table-header">Name</th><th>Tags</th></tr></thead><tbody><tr><td class="cell-title"><a href="https://www.notion.so/Ada-1b2c">Ada</a></td><td>math</td></tr></tbody></table><ol type="1" class="numbered-list" start="1"><li>one</li></ol><ol type="1" class="numbered-list" start="2"><li>two</li></ol>`;

const DOCS_CHIPS = `<meta charset='utf-8'><b style="font-weight:normal;" id="docs-internal-guid-1"><ol style="margin-top:0;margin-bottom:0;padding-inline-start:48px;"><li dir="ltr" style="list-style-type:decimal;font-size:11pt;font-weight:400;white-space:pre;" aria-level="1"><p dir="ltr" role="presentation"><span style="font-size:11pt;font-weight:400;">First</span></p></li><ol style="margin-top:0;"><li dir="ltr" style="list-style-type:lower-alpha;" aria-level="2"><p dir="ltr" role="presentation"><span style="font-weight:400;">inner</span></p></li><ol><li dir="ltr" style="list-style-type:lower-roman;" aria-level="3"><p dir="ltr" role="presentation"><span>deep</span></p></li></ol></ol><li dir="ltr" aria-level="1"><p dir="ltr" role="presentation"><span style="font-weight:700;">Second</span></p></li></ol><p dir="ltr"><a id="bookmark=id.abc"></a><span style="font-weight:400;">See </span><a href="#bookmark=id.abc" style="text-decoration:none;"><span style="text-decoration:underline;color:#1155cc">above</span></a><span>, ask </span><span data-rich-links='{"per_n":"Ada"}'><a href="mailto:ada@example.com">Ada Lovelace</a></span><span>, run </span><span style="font-family:'Roboto Mono',monospace;color:#188038;font-weight:400;">npm ci</span><span> </span><span style="text-decoration:line-through;color:#ff0000">old</span><span style="font-weight:400">.</span><sup><a href="#cmnt1">[a]</a></sup></p><br /><p dir="ltr"><span>End</span></p></b><br class="Apple-interchange-newline">`;

const APPLE_NOTES = `<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN"><html><head><meta name="Generator" content="Cocoa HTML Writer"><style type="text/css">
p.p1 {margin: 0.0px 0.0px 0.0px 0.0px; font: bold 22.0px '.AppleSystemUIFont'} li.li2 {font: 13.0px '.AppleSystemUIFont'} span.s1 {font: 13.0px 'Apple Symbols'} ul.ul1 {list-style-type: hyphen} ul.ul2 {list-style-type: circle}
</style></head><body><p class="p1"><b>Packing</b></p><ul class="ul1"><li class="li2"><span class="s1"></span>shoes</li><li class="li2"><span class="s1"></span>hat<ul class="ul2"><li class="li2">straw</li></ul></li></ul></body></html>`;

const CONFLUENCE = `<meta charset='utf-8'><h2 data-local-id="a">Plan</h2><p data-local-id="b">Ask <span data-mention-id="557" data-access-level="CONTAINER" contenteditable="false">@Ada</span>: <span data-node-type="status" data-color="green" data-style="" contenteditable="false">DONE</span> on <span data-node-type="date" data-timestamp="1798761600000">1 Jan 2027</span></p><div data-node-type="actionList" data-task-list-local-id="x" style="list-style: none; padding-left: 0"><div data-task-local-id="1" data-task-state="TODO">call Ada</div><div data-task-local-id="2" data-task-state="DONE">write</div></div><div data-panel-type="info"><div><p>Node 24.</p></div></div><pre data-language="javascript"><code>const a = 1;
let b;</code></pre><div class="table-wrap"><table data-layout="default" class="confluenceTable"><tbody><tr><th class="confluenceTh" colspan="1" rowspan="1"><p><strong>Who</strong></p></th><th class="confluenceTh"><p><strong>What</strong></p></th></tr><tr><td class="confluenceTd"><p>Ada</p></td><td class="confluenceTd"><ul><li><p>tea</p></li><li><p>milk</p></li></ul></td></tr></tbody></table></div>`;

const TEAMS = `<html><body><!--StartFragment--><div itemprop="copy-paste-block"><blockquote itemscope="" itemtype="http://schema.skype.com/Reply" itemid="1700000000000"><strong itemprop="mri" itemid="8:orgid:1">Ada Lovelace</strong><span itemprop="time" itemid="1700000000000"></span><p itemprop="preview">When?</p></blockquote><p>Tomorrow, <span itemtype="http://schema.skype.com/Mention" itemscope="" itemid="0">Grace</span>&nbsp;<img itemscope="" itemtype="http://schema.skype.com/Emoji" itemid="smile" src="https://statics.teams.cdn.office.net/evergreen-assets/personal-expressions/v2/assets/emoticons/smile/default/20_f.png" title="Smile" alt="🙂" style="width:20px;height:20px"></p><p>&nbsp;</p><codeblock class="JavaScript"><code>const a = 1;<br>let b;</code></codeblock><ul><li>one</li></ul></div><!--EndFragment--></body></html>`;

const SLACK_QUOTE = `<meta charset='utf-8'><blockquote type="cite" class="c-mrkdwn__quote" data-stringify-type="quote">said<br>twice</blockquote><pre class="c-mrkdwn__pre" data-stringify-type="pre"><div class="p-rich_text_block--no-overflow">npm ci<br>npm start</div></pre><ol data-stringify-type="ordered-list" class="p-rich_text_list p-rich_text_list__ordered" data-indent="0"><li data-stringify-indent="0" data-stringify-border="0">one</li></ol><a data-stringify-type="mention" data-id="U1" class="c-member_slug" href="https://x.slack.com/team/U1">@Ada</a> <img data-stringify-type="emoji" data-stringify-emoji=":tada:" alt=":tada:" src="https://a.slack-edge.com/production-standard-emoji-assets/14.0/google-medium/1f389.png"> <a class="c-link" data-stringify-link="https://example.com/a" href="https://example.com/a">https://example.com/a</a>`;

const CHAT_FORMULA = `<meta charset='utf-8'><h3 data-start="0" data-end="10">Solution</h3><p>Let</p><span class="katex-display"><span class="katex"><span class="katex-mathml"><math xmlns="http://www.w3.org/1998/Math/MathML" display="block"><semantics><mrow><mi>a</mi></mrow><annotation encoding="application/x-tex">a^2 + b^2
= c^2</annotation></semantics></math></span><span class="katex-html" aria-hidden="true"><span class="base">a</span></span></span></span><p>then:</p><div class="_tableContainer_1"><div tabindex="-1" class="_tableWrapper_1 group flex w-fit flex-col-reverse"><table class="w-fit min-w-(--thread-content-width)" data-start="5"><thead><tr><th data-col-size="sm">A</th><th data-col-size="md">B</th></tr></thead><tbody><tr><td data-col-size="sm"><code>x</code></td><td><span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>y</mi></mrow><annotation encoding="application/x-tex">|y|</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">|y|</span></span></td></tr></tbody></table></div></div><ol><li><p><strong>One</strong></p><pre class="overflow-visible!"><div class="contain-inline-size rounded-2xl"><div class="flex items-center h-9">bash</div><div class="sticky"><div class="absolute"><div class="flex"><button class="flex gap-1">Copy code</button></div></div></div><div class="overflow-y-auto p-4" dir="ltr"><code class="whitespace-pre! language-bash"><span>npm ci
npm start
</span></code></div></div></pre></li><li><p><strong>Two</strong> <span class="" data-state="closed"><a href="https://example.com/s?utm_source=chatgpt.com" target="_blank"><span>Example</span></a></span></p></li></ol>`;

const CLAUDE = `<meta charset='utf-8'><p class="font-claude-response-body">Do this:</p><div role="group" aria-label="python code" tabindex="0" class="relative group/copy bg-bg-000/50 rounded-lg"><div class="sticky opacity-0"><div class="absolute"><button type="button" aria-label="Copy to clipboard">Copy</button></div></div><div class="text-text-500 font-small p-3.5 pb-0">python</div><div class="overflow-x-auto"><pre class="code-block__code !my-0" style="color: white;"><code class="language-python" style="white-space: pre;"><span>a = 1
</span><span>b = 2</span></code></pre></div></div><hr class="border-border-200"><ul class="list-disc"><li class="whitespace-normal break-words">x</li></ul>`;

const GITHUB_TASKS = `<html><body><!--StartFragment--><ul class="contains-task-list" dir="auto"><li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" id="" disabled="" checked=""> done by <a class="user-mention notranslate" data-hovercard-type="user" href="https://github.com/ada">@ada</a></li><li class="task-list-item"><input type="checkbox" disabled="" class="task-list-item-checkbox"> open, see <a class="issue-link js-issue-link" data-url="https://github.com/a/b/issues/12" href="https://github.com/a/b/issues/12">#12</a><ul class="contains-task-list"><li class="task-list-item"><input type="checkbox" disabled="" class="task-list-item-checkbox"> inner</li></ul></li></ul><div class="markdown-alert markdown-alert-warning" dir="auto"><p class="markdown-alert-title" dir="auto"><svg class="octicon octicon-alert mr-2" viewBox="0 0 16 16"><path d="M6"></path></svg>Warning</p><p dir="auto">Mind it.</p></div><p>Words<sup><a href="https://github.com/a/b#user-content-fn-1-ab" id="user-content-fnref-1-ab" data-footnote-ref="" aria-describedby="footnote-label">1</a></sup></p><section data-footnotes="" class="footnotes"><h2 id="footnote-label" class="sr-only">Footnotes</h2><ol><li id="user-content-fn-1-ab"><p>It was. <a href="https://github.com/a/b#user-content-fnref-1-ab" data-footnote-backref="" aria-label="Back to reference 1" class="data-footnote-backref"><g-emoji class="g-emoji" alias="leftwards_arrow_with_hook">↩</g-emoji></a></p></li></ol></section><markdown-accessiblity-table><table tabindex="0" role="table"><thead><tr><th align="center">A</th><th align="right">B</th></tr></thead><tbody><tr><td align="center">1</td><td align="right">2</td></tr></tbody></table></markdown-accessiblity-table><!--EndFragment--></body></html>`;

const WIKIPEDIA = `<html><body><!--StartFragment--><table class="infobox ib-settlement vcard"><tbody><tr><th colspan="2" class="infobox-above"><div class="fn org">Lisbon</div><div class="nickname ib-settlement-native" lang="pt">Lisboa</div></th></tr><tr class="mergedtoprow"><td colspan="2" class="infobox-full-data maptable"><div class="ib-settlement-cols"><div><a class="mw-file-description"><img alt="Flag of Lisbon" src="https://upload.wikimedia.org/wikipedia/commons/thumb/f/fe/Flag.svg/120px-Flag.svg.png" width="100" height="67" class="mw-file-element"></a></div></div></td></tr><tr class="mergedtoprow"><th scope="row" class="infobox-label">Country</th><td class="infobox-data"><a href="https://en.wikipedia.org/wiki/Portugal" title="Portugal">Portugal</a></td></tr><tr><th scope="row" class="infobox-label">Area<sup id="cite_ref-1" class="reference"><a href="https://en.wikipedia.org/wiki/Lisbon#cite_note-1"><span class="cite-bracket">[</span>1<span class="cite-bracket">]</span></a></sup></th><td class="infobox-data">100.05&nbsp;km<sup>2</sup></td></tr></tbody></table><div class="mw-heading mw-heading2"><h2 id="History">History</h2></div><p>The energy <span class="mwe-math-element mwe-math-element-inline"><span class="mwe-math-mathml-inline mwe-math-mathml-a11y" style="display: none;"><math xmlns="http://www.w3.org/1998/Math/MathML" alttext="{\\displaystyle E=mc^{2}}"><semantics><mrow><mi>E</mi></mrow><annotation encoding="application/x-tex">{\\displaystyle E=mc^{2}}</annotation></semantics></math></span><img src="https://wikimedia.org/api/rest_v1/media/math/render/svg/9f73" class="mwe-math-fallback-image-inline mw-invert" aria-hidden="true" alt="{\\displaystyle E=mc^{2}}"></span> is <i>old</i>.<sup id="cite_ref-2" class="reference"><a href="https://en.wikipedia.org/wiki/Lisbon#cite_note-2"><span class="cite-bracket">[</span>2<span class="cite-bracket">]</span></a></sup></p><!--EndFragment--></body></html>`;

const SPHINX = `<meta charset='utf-8'><h2>Install<a class="headerlink" href="https://docs.example.com/x.html#install" title="Link to this heading">¶</a></h2><div class="highlight-python notranslate"><div class="highlight"><pre><span></span><span class="kn">import</span> <span class="nn">os</span>
<span class="n">os</span><span class="o">.</span><span class="n">getcwd</span><span class="p">()</span>
</pre></div></div><dl class="py function"><dt class="sig sig-object py" id="os.getcwd"><span class="sig-prename descclassname"><span class="pre">os.</span></span><span class="sig-name descname"><span class="pre">getcwd</span></span><span class="sig-paren">(</span><span class="sig-paren">)</span></dt><dd><p>Returns <code class="docutils literal notranslate"><span class="pre">str</span></code>.</p></dd></dl><div class="admonition note"><p class="admonition-title">Note</p><p>Mind it.</p></div>`;

const DOCUSAURUS = `<h2 class="anchor anchorWithStickyNavbar" id="a">Start<a href="#a" class="hash-link" aria-label="Direct link to Start" title="Direct link to Start">​</a></h2><div class="language-bash codeBlockContainer_Ckt0 theme-code-block"><div class="codeBlockContent_biex"><pre tabindex="0" class="prism-code language-bash codeBlock_bY9V thin-scrollbar"><code class="codeBlockLines_e6Vv"><span class="token-line" style="color:#393A34"><span class="token plain">npm ci</span><br></span><span class="token-line"><span class="token plain">npm start</span><br></span></code></pre><div class="buttonGroup__atx"><button type="button"><span>x</span></button></div></div></div>`;

const MDN = `<h2 id="syntax"><a class="heading-anchor" href="https://developer.mozilla.org/x#syntax">Syntax</a></h2><div class="code-example"><div class="example-header"><span class="language-name">js</span><button type="button" class="icon copy-icon"><span class="visually-hidden">Copy to Clipboard</span></button></div><pre class="brush: js notranslate"><code>at(index)
at()</code></pre></div><div class="notecard note"><p><strong>Note:</strong> Mind it.</p></div>`;

const EVERNOTE = `<meta charset='utf-8'><h1>Packing</h1><div>Take:</div><ul style="--en-todo:true;"><li style="--en-checked:false;"><div>shoes</div></li><li style="--en-checked:true;"><div>hat</div></li></ul><div style="--en-codeblock:true;box-sizing: border-box;"><div>npm ci</div><div>npm start</div></div><div><br></div><div>End <span style="--en-highlight:yellow;background-color: #ffef9e;">marked</span></div>`;

const ONENOTE = `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><meta name=ProgId content=OneNote.File><meta name=Generator content="Microsoft OneNote 15"></head><body lang=en-GB style='font-family:Calibri;font-size:11.0pt'><!--StartFragment--><p style='margin:0in;font-family:"Calibri Light";font-size:20.0pt'>Packing</p><p style='margin:0in;font-family:Calibri;font-size:16.0pt;color:#1E4E79'>Clothes</p><p style='margin:0in;font-size:11.0pt'>Take <span style='font-weight:bold'>two</span> coats</p><p style='margin:0in;font-size:11.0pt'>&nbsp;</p><ul style='margin-left:.375in;direction:ltr;unicode-bidi:embed;margin-top:0in;margin-bottom:0in'><li style='margin-top:0;margin-bottom:0;vertical-align:middle'><span style='font-family:Calibri;font-size:11.0pt'>one</span></li><ul style='margin-left:.375in'><li><span>inner</span></li></ul><li><span>two</span></li></ul><ol type=1 style='margin-left:.375in'><li value=1 style='margin-top:0'><span>first</span></li></ol><div style='direction:ltr'><table border=1 cellpadding=0 cellspacing=0 valign=top style='direction:ltr;border-collapse:collapse' title="" summary=""><tr><td style='background-color:#DEEBF6'><p style='margin:0in'>A</p></td><td><p>B</p></td></tr><tr><td><p>1</p></td><td><p>2</p></td></tr></table></div><!--EndFragment--></body></html>`;

const docsRun = (text: string, style = "font-family:Arial,sans-serif;font-weight:400;") =>
  `<span style="font-size:11pt;color:#000000;background-color:transparent;font-style:normal;text-decoration:none;white-space:pre-wrap;${style}">${text}</span>`;
const DOCS_MONO = "font-family:'Roboto Mono',monospace;font-weight:400;";
const docsLine = (...runs: string[]) =>
  `<p dir="ltr" style="line-height:1.38;margin-top:0pt;">${runs.join("")}</p>`;

const DOCS_CODE = `<meta charset='utf-8'><b style="font-weight:normal;" id="docs-internal-guid-2c">${[
  docsLine(
    docsRun("Run "),
    docsRun("npm", DOCS_MONO),
    docsRun(" ci ", `${DOCS_MONO}color:#188038;`),
    docsRun("and "),
    docsRun("npm start", DOCS_MONO),
    docsRun(" now, "),
    docsRun("bold", "font-family:Arial;font-weight:700;"),
    docsRun(" ends."),
  ),
  docsLine(docsRun("\uec03if (a) {", DOCS_MONO)),
  docsLine(docsRun("&nbsp; b();", DOCS_MONO)),
  "<br />",
  docsLine(docsRun("}\uec02", DOCS_MONO)),
  `<ul><li dir="ltr"><p dir="ltr" role="presentation">${docsRun("use ")}${docsRun("git", DOCS_MONO)}</p></li></ul>`,
  `<p>${docsRun("Words")}<sup><a href="#ftnt1" id="ftnt_ref1">[1]</a></sup>${docsRun(".")}</p>`,
  `<hr><div><p><a href="#ftnt_ref1" id="ftnt1">[1]</a>${docsRun(" A note.")}</p></div>`,
].join("")}</b>`;

const lines = (...all: string[]) => all.join("\n");

export const CLIPBOARDS: Clipboard[] = [
  {
    program: "Word",
    html: WORD,
    plain: "Reise nach Lissabon\r\nPlan A",
    markdown: lines(
      "# Reise nach Lissabon",
      "",
      "## Plan A",
      "",
      "Das ist **wichtig** und **dringend**, *schnell*[^1].",
      "",
      "- Flug",
      "  - hin",
      "  - zurück",
      "- Hotel",
      "",
      "Zuerst:",
      "",
      "1. packen",
      "2. gehen",
      "",
      "| Tag                | Ziel  |",
      "| ------------------ | ----- |",
      "| Montag<br>Dienstag | Belém |",
      "",
      "[^1]: Mit dem Zug.",
    ),
  },
  {
    program: "Excel",
    html: EXCEL,
    plain: "Posten\tEuro",
    markdown: lines(
      "| Posten            |   Euro |",
      "| ----------------- | -----: |",
      "| Hotel & Frühstück | 310,50 |",
      "| a\\|b<br>zwei      |        |",
    ),
  },
  {
    program: "Outlook",
    html: OUTLOOK,
    plain: "Dear Ada,",
    markdown: lines(
      "Dear Ada,",
      "",
      "the plan is [here](https://example.com/plan).",
      "",
      "---",
      "",
      "**From:** Ada \\<ada@example.com>",
      "**Sent:** Monday",
      "**Subject:** Plan",
      "",
      "> Where is it?",
      ">",
      "> Ada",
    ),
  },
  {
    program: "Google Docs",
    html: DOCS,
    plain: "Packing",
    markdown: lines(
      "## Packing",
      "",
      "Take **two coats**, *really*: [the list](https://example.com/list)",
      "",
      "- socks",
      "  - warm ones",
      "",
      "Then:",
      "",
      "- [ ] shoes",
      "- [x] hat",
      "",
      "| Who          | What            |",
      "| ------------ | --------------- |",
      "| Ada<br>Grace | - tea<br>- milk |",
    ),
  },
  {
    program: "Google Sheets",
    html: SHEETS,
    plain: "Plant\tMetres",
    markdown: lines(
      "| Plant   | Metres |",
      "| ------- | -----: |",
      "| Tomato  |      3 |",
      "| **All** |      3 |",
    ),
  },
  {
    program: "Notion",
    html: NOTION,
    plain: "# Week",
    markdown: lines(
      "# Week",
      "",
      "Some **bold** and `code`",
      "",
      "- [x] call Ada",
      "- [ ] write",
      "- More",
      "  hidden words",
      "",
      "```javascript",
      "const a = 1;",
      "let b;",
      "```",
      "",
      "> said",
    ),
  },
  {
    program: "Gmail",
    html: GMAIL,
    plain: "Hi Ada,",
    markdown: lines(
      "Hi Ada,",
      "",
      "the train leaves at **9:40**.",
      "Platform 7 🚂",
      "",
      "Grace",
      "",
      "On Mon, Ada <ada@example.com> wrote:",
      "",
      "> When?",
      ">",
      "> Ada",
    ),
  },
  {
    program: "Apple Pages",
    html: PAGES,
    plain: "Menu",
    markdown: lines("**Menu**", "", "Soup, *hot*, and ~~bread~~", "", "- leek", "- salt"),
  },
  {
    program: "Safari",
    html: SAFARI,
    plain: "Tides",
    markdown: lines(
      "## Tides",
      "",
      "High water at **noon**, see [Tide](https://en.wikipedia.org/wiki/Tide)[1] or https://example.com/tides.",
    ),
  },
  {
    program: "Chrome on Windows",
    html: CHROME,
    plain: "AT&T",
    markdown: lines(
      "# AT&T snake_case",
      "",
      "One **bold**:word, [sic] and 2 * 3",
      "",
      "3. three",
      "4. four",
      "",
      "- [x] done",
      "",
      "```sh",
      "npm  start",
      "ls",
      "```",
      "",
      "---",
      "",
      "End",
      "line",
    ),
  },
  {
    program: "VS Code",
    html: CODE,
    plain: "  if (a) {\r\n    b();\r\n  }",
    editor: '{"version":1,"isFromEmptySelection":false,"multicursorText":null,"mode":"typescriptreact"}',
    markdown: lines("```tsx", "if (a) {", "  b();", "}", "```"),
  },
  {
    program: "Word, with a comment",
    html: WORD_COMMENTED,
    plain: "Water is H2O",
    markdown: "Water is H₂O, 10⁶ ==litres of it==, ~~not less~~ and on the 2nd day.",
  },
  {
    program: "Word, with an item of two paragraphs and an address with parameters",
    html: `<html xmlns:w="urn:schemas-microsoft-com:office:word"><body><!--StartFragment-->${mso(1, "l0", "·", "One")}<p class=MsoListParagraphCxSpMiddle style='margin-left:36.0pt'>More of <a href="https://example.com/?a=1&amp;b=2">one</a> <img src="https://example.com/p.png?w=1&amp;h=2" alt="Tom &amp; Ada"><o:p></o:p></p>${mso(1, "l0", "·", "Two")}<!--EndFragment--></body></html>`,
    plain: "One",
    markdown: lines(
      "- One",
      "",
      "  More of [one](https://example.com/?a=1&b=2) ![Tom & Ada](https://example.com/p.png?w=1&h=2)",
      "",
      "- Two",
    ),
  },
  {
    program: "Word in the browser",
    html: WORD_ONLINE,
    plain: "Plan",
    markdown: lines("## Plan", "", "Some **bold** words.", "", "- one", "  - inner", "- two"),
  },
  {
    program: "Outlook in the browser",
    html: OUTLOOK_WEB,
    plain: "Dear Ada,",
    markdown: lines(
      "Dear Ada,",
      "",
      "the plan is [here](https://example.com/plan) and **final**.",
      "",
      "- tickets",
      "- hotel",
      "",
      "Grace",
    ),
  },
  {
    program: "Slack",
    html: SLACK,
    plain: "Before noon run npm ci",
    markdown: lines("Before **noon** run `npm ci`", "", "- one", "  - inner", "- two"),
  },
  {
    program: "GitHub",
    html: GITHUB,
    plain: "Install",
    markdown: lines(
      "## Install",
      "",
      "Press `Ctrl`+`C`, then ~~wait~~:",
      "",
      "```shell",
      "npm install && npm start",
      "ls",
      "```",
      "",
      "> [!note]",
      "> Node 24.",
      "",
      "🎉 Done¹",
    ),
  },
  {
    program: "a page with signs of its own",
    html:
      "<pre><code>one();</code>\n<code>two();</code></pre>" +
      '<div data-callout="info">Only words</div>' +
      '<p>As said<sup><a href="https://example.com/source">1</a></sup>, see <a class="internal-link" href="https://example.com/a">A</a></p>',
    plain: "one();",
    markdown: lines(
      "```",
      "one();",
      "two();",
      "```",
      "",
      "Only words",
      "",
      "As said[1](https://example.com/source), see [A](https://example.com/a)",
    ),
  },
  {
    program: "ChatGPT",
    html: CHAT,
    plain: "The energy is",
    markdown: lines(
      "The energy is $E = m_0 c^2$ and ==no more==:",
      "",
      "```python",
      "def f():",
      "    return 1",
      "```",
      "",
      "1. **First**: this",
      "2. Then that",
    ),
  },
  {
    program: "Google Docs, styled",
    html: DOCS_STYLED,
    plain: "Marked and struck",
    markdown: "==Marked== and ~~struck~~, CO₂ at 10⁻³",
  },
  {
    program: "Obsidian",
    html: OBSIDIAN,
    plain: "Trip",
    markdown: lines(
      "## Trip",
      "",
      "See [[People/Ada|Ada]] and [[Grace]] #trip ==soon==",
      "",
      "- [x] tickets",
      "",
      "> [!warning] Mind the gap",
      "> Between them.",
    ),
  },
  {
    program: "LibreOffice Writer",
    html: LIBREOFFICE,
    plain: "Menu",
    markdown: lines("# Menu", "", "Soup, *hot*, and **bread**", "", "- leek", "  - green", "- salt"),
  },
  {
    program: "Apple Mail",
    html: APPLE_MAIL,
    plain: "Hi Ada,",
    markdown: lines(
      "Hi Ada,",
      "",
      "the **train** leaves at noon.",
      "",
      "> On 1 Jan 2026, at 12:00, Ada <ada@example.com> wrote:",
      ">",
      "> When?",
    ),
  },
  {
    program: "JetBrains",
    html: JETBRAINS,
    plain: "if (a) {\n  b();\n}",
    markdown: lines("```", "if (a) {", "  b();", "}", "```"),
  },
  {
    program: "Word, with numbers of several levels",
    html: WORD_LEVELS,
    plain: "1. Scope",
    markdown: lines("1. Scope", "   1. Inside", "   2. Outside", "2. Terms"),
  },
  {
    program: "Word, with styles for lists",
    html: WORD_STYLED,
    plain: "- Flug",
    markdown: lines("- Flug", "  - hin", "- Hotel"),
  },
  {
    program: "Excel, with merged cells",
    html: EXCEL_MERGED,
    plain: "| Kosten 2026 |            |            |",
    markdown: lines(
      "| Kosten 2026 |            |            |",
      "| :---------: | ---------: | ---------: |",
      "|    Posten   |      Datum |     Betrag |",
      "|    Reise    | 01.02.2026 | 1.310,50 € |",
      "|             | 03.02.2026 |        12% |",
      "|    Summe    |            |  *#DIV/0!* |",
    ),
  },
  {
    program: "Gmail, with a signature",
    html: GMAIL_SIGNED,
    plain: "Hi Ada,",
    markdown: lines(
      "Hi Ada,",
      "",
      "thanks – I'll send it **tomorrow**.",
      "",
      "- slides",
      "- notes",
      "",
      "--",
      "",
      "Grace Hopper",
      "Rear Admiral",
      "[example.com](https://example.com/)",
      "",
      "On Mon, 2 Nov 2026 at 10:00, Ada Lovelace <ada@example.com> wrote:",
      "",
      "> Hello,",
      ">",
      "> where is it?",
      ">",
      "> On Sun, Grace wrote:",
      ">",
      "> > Soon.",
    ),
  },
  {
    program: "Notion, with a callout",
    html: NOTION_CALLOUT,
    plain: "## Plan",
    markdown: lines(
      "## Plan",
      "",
      "- More",
      "",
      "  hidden words",
      "",
      "  - inner",
      "",
      "> 💡 Remember **this**",
      "",
      "left",
      "",
      "right",
      "",
      "- [ ] outer",
      "  - [x] inner",
      "",
      "| Name                                  | Tags |",
      "| ------------------------------------- | ---- |",
      "| [Ada](https://www.notion.so/Ada-1b2c) | math |",
      "",
      "1. one",
      "2. two",
    ),
  },
  {
    program: "Google Docs, with chips and a comment",
    html: DOCS_CHIPS,
    plain: "1. First",
    markdown: lines(
      "1. First",
      "   1. inner",
      "      1. deep",
      "2. **Second**",
      "",
      "See above, ask [Ada Lovelace](mailto:ada@example.com), run `npm ci` ~~old~~.",
      "",
      "End",
    ),
  },
  {
    program: "Apple Notes",
    html: APPLE_NOTES,
    plain: "**Packing**",
    markdown: lines("**Packing**", "", "- shoes", "- hat", "  - straw"),
  },
  {
    program: "Confluence",
    html: CONFLUENCE,
    plain: "## Plan",
    markdown: lines(
      "## Plan",
      "",
      "Ask @Ada: DONE on 1 Jan 2027",
      "",
      "- [ ] call Ada",
      "- [x] write",
      "",
      "> [!info]",
      "> Node 24.",
      "",
      "```javascript",
      "const a = 1;",
      "let b;",
      "```",
      "",
      "| Who | What            |",
      "| --- | --------------- |",
      "| Ada | - tea<br>- milk |",
    ),
  },
  {
    program: "Teams",
    html: TEAMS,
    plain: "> **Ada Lovelace**",
    markdown: lines(
      "> **Ada Lovelace**",
      ">",
      "> When?",
      "",
      "Tomorrow, Grace 🙂",
      "",
      "```",
      "const a = 1;",
      "let b;",
      "```",
      "",
      "- one",
    ),
  },
  {
    program: "Slack, with a quotation",
    html: SLACK_QUOTE,
    plain: "> said",
    markdown: lines(
      "> said",
      "> twice",
      "",
      "```",
      "npm ci",
      "npm start",
      "```",
      "",
      "1. one",
      "",
      "[@Ada](https://x.slack.com/team/U1) :tada: https://example.com/a",
    ),
  },
  {
    program: "ChatGPT, with a formula",
    html: CHAT_FORMULA,
    plain: "### Solution",
    markdown: lines(
      "### Solution",
      "",
      "Let",
      "",
      "$$a^2 + b^2 = c^2$$",
      "",
      "then:",
      "",
      "| A   | B       |",
      "| --- | ------- |",
      "| `x` | $\\|y\\|$ |",
      "",
      "1. **One**",
      "   ```bash",
      "   npm ci",
      "   npm start",
      "   ```",
      "2. **Two** [Example](https://example.com/s?utm_source=chatgpt.com)",
    ),
  },
  {
    program: "Claude",
    html: CLAUDE,
    plain: "Do this:",
    markdown: lines("Do this:", "", "```python", "a = 1", "b = 2", "```", "", "---", "", "- x"),
  },
  {
    program: "GitHub, with tasks and a footnote",
    html: GITHUB_TASKS,
    plain: "- [x] done by [@ada](https://github.com/ada)",
    markdown: lines(
      "- [x] done by [@ada](https://github.com/ada)",
      "- [ ] open, see [#12](https://github.com/a/b/issues/12)",
      "  - [ ] inner",
      "",
      "> [!warning]",
      "> Mind it.",
      "",
      "Words[^1]",
      "",
      "[^1]: It was.",
      "",
      "|  A  |  B |",
      "| :-: | -: |",
      "|  1  |  2 |",
    ),
  },
  {
    program: "Wikipedia",
    html: WIKIPEDIA,
    plain:
      "| Lisbon<br>Lisboa                                                                                         |                                                    |",
    markdown: lines(
      "| Lisbon<br>Lisboa                                                                                         |                                                    |",
      "| -------------------------------------------------------------------------------------------------------- | -------------------------------------------------- |",
      "| ![Flag of Lisbon](https://upload.wikimedia.org/wikipedia/commons/thumb/f/fe/Flag.svg/120px-Flag.svg.png) |                                                    |",
      "| Country                                                                                                  | [Portugal](https://en.wikipedia.org/wiki/Portugal) |",
      "| Area\\[1]                                                                                                 | 100.05 km²                                         |",
      "",
      "## History",
      "",
      "The energy $E=mc^{2}$ is *old*.[2]",
    ),
  },
  {
    program: "Read the Docs",
    html: SPHINX,
    plain: "## Install",
    markdown: lines(
      "## Install",
      "",
      "```python",
      "import os",
      "os.getcwd()",
      "```",
      "",
      "- os.getcwd()",
      "",
      "  Returns `str`.",
      "",
      "> [!note]",
      "> Mind it.",
    ),
  },
  {
    program: "Docusaurus",
    html: DOCUSAURUS,
    plain: "## Start",
    markdown: lines("## Start", "", "```bash", "npm ci", "npm start", "```"),
  },
  {
    program: "MDN",
    html: MDN,
    plain: "## Syntax",
    markdown: lines("## Syntax", "", "```js", "at(index)", "at()", "```", "", "**Note:** Mind it."),
  },
  {
    program: "Evernote",
    html: EVERNOTE,
    plain: "# Packing",
    markdown: lines(
      "# Packing",
      "",
      "Take:",
      "",
      "- [ ] shoes",
      "- [x] hat",
      "",
      "```",
      "npm ci",
      "npm start",
      "```",
      "",
      "End ==marked==",
    ),
  },
  {
    program: "OneNote",
    html: ONENOTE,
    plain: "Packing",
    markdown: lines(
      "Packing",
      "",
      "Clothes",
      "",
      "Take **two** coats",
      "",
      "- one",
      "  - inner",
      "- two",
      "",
      "1. first",
      "",
      "| A | B |",
      "| - | - |",
      "| 1 | 2 |",
    ),
  },
  {
    program: "pages with words around their code",
    html:
      '<div>First learn <span>Python</span>, then try it.<pre><code class="language-python">1</code></pre></div>' +
      '<div><div>JSON</div><div>is a format, such as</div><pre><code class="language-json">{}</code></pre></div>' +
      '<div><span>SQL</span><span> is old.</span><p>Run <code class="language-sql">SELECT 1</code></p></div>' +
      '<div><div>js</div><div><p>It runs:</p><pre><code class="language-js">at()</code></pre></div></div>',
    plain: "First learn Python",
    markdown: lines(
      "First learn Python, then try it.",
      "",
      "```python",
      "1",
      "```",
      "",
      "JSON",
      "",
      "is a format, such as",
      "",
      "```json",
      "{}",
      "```",
      "",
      "SQL is old.",
      "",
      "Run `SELECT 1`",
      "",
      "js",
      "",
      "It runs:",
      "",
      "```js",
      "at()",
      "```",
    ),
  },
  {
    program: "pages that call the looks of their code highlight",
    html:
      '<div class="highlight-lines"><pre>a</pre></div>' +
      '<div class="highlight highlight-source-text notranslate"><pre>b</pre></div>' +
      '<div class="highlight-text notranslate"><div class="highlight"><pre>c</pre></div></div>' +
      '<div class="highlight-textile notranslate"><div class="highlight"><pre>d</pre></div></div>',
    plain: "a",
    markdown: lines(
      "```",
      "a",
      "```",
      "",
      "```",
      "b",
      "```",
      "",
      "```",
      "c",
      "```",
      "",
      "```textile",
      "d",
      "```",
    ),
  },
  {
    program: "pages with boxes",
    html:
      '<figure class="callout"><figcaption>Tip</figcaption><p>Save <b>often</b>.</p></figure>' +
      '<figure class="callout">See <div>💡</div><div>the rest</div></figure>' +
      "<aside>© 2026 Acme.</aside><aside>⚠️ Mind it.</aside><aside>🚧 Mind the gap.</aside>",
    plain: "Tip",
    markdown: lines(
      "Tip",
      "",
      "Save **often**.",
      "",
      "See",
      "",
      "💡",
      "",
      "the rest",
      "",
      "© 2026 Acme.",
      "",
      "> ⚠️ Mind it.",
      "",
      "> 🚧 Mind the gap.",
    ),
  },
  {
    program: "GitHub, with a footnote that has a name",
    html:
      '<p>Words<sup><a href="#user-content-fn-1">1</a></sup>, more<sup><a href="#user-content-fn-note">2</a></sup></p>' +
      '<section class="footnotes"><h2>Footnotes</h2><ol><li><p>It was. <a href="#user-content-fnref-1">↩</a></p></li>' +
      '<li><p>It is. <a href="#user-content-fnref-note">↩</a></p></li></ol></section>',
    plain: "Words1",
    markdown: lines("Words¹, more²", "", "## Footnotes", "", "1. It was. ↩", "2. It is. ↩"),
  },
  {
    program: "a page whose notes have a heading of their own",
    html:
      '<p>Words<sup><a href="#fn1">1</a></sup></p>' +
      '<section><h2>Sources</h2><ol><li>It was. <a href="#fnref1">↩</a></li></ol></section>',
    plain: "Words1",
    markdown: lines("Words[^1]", "", "## Sources", "", "[^1]: It was."),
  },
  {
    program: "a page with pictures that are signs, and others whose words begin with one",
    html: ["😀", "🇩🇪", "1️⃣", ":tada:", "©", "© 2026 Acme", "🚂 in the snow", ":tada: and more"]
      .map((alt) => `<p><img alt="${alt}" src="https://example.com/a.png"></p>`)
      .join(""),
    plain: "😀",
    markdown: ["😀", "🇩🇪", "1️⃣", ":tada:", "©"]
      .concat(
        ["© 2026 Acme", "🚂 in the snow", ":tada: and more"].map(
          (alt) => `![${alt}](https://example.com/a.png)`,
        ),
      )
      .join("\n\n"),
  },
  {
    program: "a page that leads to footnotes of others",
    html:
      '<p>See <a href="https://example.com/spec#fn-12">function 12</a><sup><a href="https://example.com/spec#fn2">2</a></sup></p>' +
      '<ul><li>Text one <a href="https://example.com/spec#fnref2">in the text</a> and more</li><li>Two</li></ul>' +
      '<ol><li>Alone <a href="https://example.com/spec#fnref3">3</a></li></ol>',
    plain: "See function 12",
    markdown: lines(
      "See [function 12](https://example.com/spec#fn-12)²",
      "",
      "- Text one [in the text](https://example.com/spec#fnref2) and more",
      "- Two",
      "",
      "1. Alone [3](https://example.com/spec#fnref3)",
    ),
  },
  {
    program: "a page with links in its headings",
    html:
      '<h1><a href="https://shop.example/#top"><img alt="Acme" src="https://shop.example/a.png"></a></h1>' +
      '<h2 id="chat"><a href="https://matrix.to/#/room">Chat</a></h2>' +
      '<h2><a href="https://example.com/story#comments">Story</a></h2>' +
      '<h2 id="own"><a href="https://example.com/x#own">Own</a></h2><h2><a href="#b">Another</a></h2>',
    plain: "Chat",
    markdown: lines(
      "# [![Acme](https://shop.example/a.png)](https://shop.example/#top)",
      "",
      "## [Chat](https://matrix.to/#/room)",
      "",
      "## [Story](https://example.com/story#comments)",
      "",
      "## Own",
      "",
      "## Another",
    ),
  },
  {
    program: "a page with formulas in a table",
    html: `<table><tr><th>Norm</th><th>Rows</th></tr><tr>${[String.raw`\|x\|`, String.raw`a\\|b`]
      .map((tex) => `<td><math><annotation encoding="application/x-tex">${tex}</annotation></math></td>`)
      .join("")}</tr></table>`,
    plain: "Norm",
    markdown: lines(
      "| Norm            | Rows     |",
      "| --------------- | -------- |",
      String.raw`| $\Vert x\Vert $ | $a\\\|b$ |`,
    ),
  },
  {
    program: "Evernote, with code of several lines",
    html: `<h1>Code</h1><div style="--en-codeblock:true;">
  <div>if a:</div>
  <div>    b<br>    c</div>
  <div><br></div>
  <div>d</div>
</div>`,
    plain: "Code",
    markdown: lines("# Code", "", "```", "if a:", "    b", "    c", "", "d", "```"),
  },
  {
    program: "a PDF viewer",
    plain:
      "The tides of the Atlantic are caused by the moon and, to a smaller ex-\r\ntent, by the sun. They reach the coast of Portugal twice a day, and are\r\nhighest after the new moon.\r\n\r\nThe ﬁrst tables were printed in the nineteenth century, and every har-\r\nbour had its own.",
    markdown: lines(
      "The tides of the Atlantic are caused by the moon and, to a smaller extent, by the sun. They reach the coast of Portugal twice a day, and are highest after the new moon.",
      "",
      "The first tables were printed in the nineteenth century, and every harbour had its own.",
    ),
  },
  {
    program: "Chromium's PDF viewer, which has no empty lines",
    plain: [
      "3 Model Architecture",
      "Most competitive models of sequences have an encoder and a decoder. Here, the encoder maps an",
      "input sequence of symbols to a sequence of continuous representations, and the decoder generates",
      "an output sequence of symbols, one element at a time.",
      "The model follows this overall architecture using layers for both the encoder and the decoder,",
      "shown in the left and right halves of Figure 1.",
      "• The encoder contains layers. In a layer all of the keys, values and queries come from the same",
      "place.",
      "• Short one",
      "– Third",
      "We call our particular attention “scaled”. The input consists of queries and keys of one dimension",
      "12",
      "and of values of another.",
      "Ada Lovelace",
      "London",
    ].join("\r\n"),
    markdown: lines(
      "3 Model Architecture",
      "",
      "Most competitive models of sequences have an encoder and a decoder. Here, the encoder maps an input sequence of symbols to a sequence of continuous representations, and the decoder generates an output sequence of symbols, one element at a time.",
      "",
      "The model follows this overall architecture using layers for both the encoder and the decoder, shown in the left and right halves of Figure 1.",
      "",
      "- The encoder contains layers. In a layer all of the keys, values and queries come from the same place.",
      "- Short one",
      "- Third",
      "",
      "We call our particular attention “scaled”. The input consists of queries and keys of one dimension and of values of another.",
      "",
      "Ada Lovelace",
      "London",
    ),
  },
  {
    program: "a PDF with a narrow column and hyphens",
    plain: lines(
      "Die Gezeiten werden vom Mond und",
      "in kleinerem Maß von der Sonne ver-",
      "ursacht. Bekannt sind ihre Vor-",
      "und Nachteile seit langem; sie er-",
      "reichen die Küste von Portugal",
      "zweimal am Tag, und sie sind am",
      "3. Mai am höchsten.",
    ),
    markdown:
      "Die Gezeiten werden vom Mond und in kleinerem Maß von der Sonne verursacht. Bekannt sind ihre Vor- und Nachteile seit langem; sie erreichen die Küste von Portugal zweimal am Tag, und sie sind am 3. Mai am höchsten.",
  },
  {
    program: "a PDF with a power, whose number has a line of its own",
    plain: lines(
      "The ﬁrst of these bodies is the heavier one, and its mass is about 6 times 10",
      "24",
      "kilograms.",
      "",
      "That is more than the mass of the two others taken together, as one sees from their orbits around",
      "it and from how long they take for one of them when they are the closest to each other of all the",
      "years that were observed, which are more than a hundred and thirty if those are counted as well in",
      "which nobody wrote down what he saw.",
    ),
    markdown: lines(
      "The first of these bodies is the heavier one, and its mass is about 6 times 10",
      "24",
      "kilograms.",
      "",
      "That is more than the mass of the two others taken together, as one sees from their orbits around it and from how long they take for one of them when they are the closest to each other of all the years that were observed, which are more than a hundred and thirty if those are counted as well in which nobody wrote down what he saw.",
    ),
  },
  { program: "a PDF, a few words", plain: "the ﬁrst oﬃce", markdown: "the first office" },
  ...Object.entries({
    "a chat":
      "call the plumber about the kitchen sink leaking again\nask grace about the slides for the meeting tomorrow\nbuy bread",
    "a poem":
      "Shall I compare thee to a summer's day?\nThou art more lovely and more temperate:\nRough winds do shake the darling buds of May,",
    "an address": "Ada Lovelace\nSt James's Square 12\nLondon SW1Y 4JH\nUnited Kingdom",
    "an editor, code":
      "const a = await something(that, takes, many, arguments, here)\nreturn a.map((one) => one.value).filter(Boolean).join(other)\nexport default a",
    "a terminal, files":
      "src/features/document/editor/clipboard/paste-one.ts\nsrc/features/document/editor/clipboard/paste-two.ts\nsrc/features/document/editor/clipboard/paste-six.ts",
    "a terminal, a list of folders":
      "drwxr-xr-x  2 root root  4096 Nov 30 07:05 some-long-directory-name-here\ndrwxr-xr-x  2 root root  4096 Nov 30 07:05 other-long-directory-name-here\ndrwxr-xr-x  2 root root  4096 Nov 30 07:05 third-long-directory-name-here",
    "a terminal, commands":
      "git commit -m 'something long which is said about a change here'\nnpm run build && npm run test -- --something-else here and there\nnode scripts/demo.ts --url http://localhost:8787 --email a@b.c",
    "an editor, text of 72 columns":
      "The answer of a request that stops halfway had no time limit, so that a\npage waited for ever. Requests that write have one of a minute, and now\nthose that read have the same, which covers the body as well. Downloads\nand uploads have none, because they may take as long as they need.",
    "an editor, Markdown of 72 columns":
      "- one thing that is quite long, so that it is wrapped by the author in an\n  editor\n- two things which are quite long, so that they are wrapped by the author\n  as well",
  }).map(([program, plain]) => ({ program, plain, markdown: plain })),
  {
    program: "Google Docs, with code",
    html: DOCS_CODE,
    plain: "Run npm ci",
    markdown: lines(
      "Run `npm ci` and `npm start` now, **bold** ends.",
      "",
      "```",
      "if (a) {",
      "  b();",
      "",
      "}",
      "```",
      "",
      "- use `git`",
      "",
      "Words[^1].",
      "",
      "[^1]: A note.",
    ),
  },
  {
    program: "Outlook, a mail in a font for code",
    html: `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style><!-- p.MsoPlainText {margin:0cm; font-size:10.5pt; font-family:Consolas;} --></style></head><body><!--StartFragment--><p class=MsoPlainText>Dear Ada,<o:p></o:p></p><p class=MsoPlainText><o:p>&nbsp;</o:p></p><p class=MsoPlainText>see you <b>soon</b>, as we said (from noon)<o:p></o:p></p><p class=MsoNormal>Grace Hopper<o:p></o:p></p><!--EndFragment--></body></html>`,
    plain: "Dear Ada,",
    markdown: lines("Dear Ada,", "", "see you **soon**, as we said (from noon)", "", "Grace Hopper"),
  },
  {
    program: "Word, with code",
    html: `<html xmlns:o="urn:schemas-microsoft-com:office:office"><body><!--StartFragment--><p class=MsoNormal>Call <span style='font-family:"Courier New"'>at(0) </span>first:<o:p></o:p></p><p class=MsoNormal><span style='font-family:Consolas'>const a = 1;<br>let b;<o:p></o:p></span></p><!--EndFragment--></body></html>`,
    plain: "Call at(0) first:",
    markdown: lines("Call `at(0)` first:", "", "```", "const a = 1;", "let b;", "```"),
  },
  {
    program: "Gmail, with a signature directly below the words",
    html: `<meta charset='utf-8'><div dir="ltr">See you then.<br clear="all"><div><br></div><div>Yours<br>-- <br><div dir="ltr" class="gmail_signature">Grace Hopper</div></div></div>`,
    plain: "See you then.",
    markdown: lines("See you then.", "", "Yours", "", "--", "", "Grace Hopper"),
  },
  {
    program: "Word, with numbers that begin again",
    html: `<html xmlns:w="urn:schemas-microsoft-com:office:word"><body><!--StartFragment-->${mso(1, "l0", "1.", "one")}${mso(2, "l0", "a)", "inner")}${mso(2, "l0", "b)", "more")}${mso(1, "l0", "2.", "two")}${mso(1, "l1", "1.", "again")}<!--EndFragment--></body></html>`,
    plain: "1. one",
    markdown: lines("1. one", "   1. inner", "   2. more", "2. two", "", "1) again"),
  },
  {
    program: "Slack, with paragraphs",
    html: `<meta charset='utf-8'><div class="p-rich_text_section">Hi <b data-stringify-type="bold">all</b><br aria-hidden="true">second<span aria-label="&nbsp;" class="c-mrkdwn__br" data-stringify-type="paragraph-break"></span>next</div>`,
    plain: "Hi all",
    markdown: lines("Hi **all**", "second", "", "next"),
  },
  {
    program: "Pages, with items as text",
    html: `<meta name="Generator" content="Cocoa HTML Writer"><p class="p1"><span class="Apple-tab-span">\t</span>•<span class="Apple-tab-span">\t</span><b>one</b></p><p class="p1"><span class="Apple-tab-span">\t</span>•<span class="Apple-tab-span">\t</span>two</p><p class="p1">2.<span class="Apple-tab-span">\t</span>second</p>`,
    plain: "one",
    markdown: lines("- **one**", "- two", "", "2. second"),
  },
  {
    program: "Gmail, with items typed",
    html: `<meta charset='utf-8'><div dir="ltr">Take <b>these</b>:<div>- slides</div><div>- notes</div><div><br></div><div>• one</div><div>• two</div></div>`,
    plain: "Take these:",
    markdown: lines("Take **these**:", "- slides", "- notes", "", "- one", "- two"),
  },
  {
    program: "Notion, with a picture and numbers in a cell",
    html: `<figure class="image"><a href="https://x.notion.so/a.png"><img src="https://x.notion.so/a.png"/></a></figure><table><tr><th>A</th><th>B</th></tr><tr><td><ol><li>first</li><li>second</li></ol></td><td>1</td></tr></table>`,
    plain: "A",
    markdown: lines(
      "![](https://x.notion.so/a.png)",
      "",
      "| A                     | B |",
      "| --------------------- | - |",
      "| 1. first<br>2. second | 1 |",
    ),
  },
];
