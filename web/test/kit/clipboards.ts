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
    program: "a PDF viewer",
    plain:
      "The tides of the Atlantic are caused by the moon and, to a smaller ex-\r\ntent, by the sun. They reach the coast of Portugal twice a day, and are\r\nhighest after the new moon.\r\n\r\nThe ﬁrst tables were printed in the nineteenth century, and every har-\r\nbour had its own.",
    markdown: lines(
      "The tides of the Atlantic are caused by the moon and, to a smaller extent, by the sun. They reach the coast of Portugal twice a day, and are highest after the new moon.",
      "",
      "The first tables were printed in the nineteenth century, and every harbour had its own.",
    ),
  },
];
